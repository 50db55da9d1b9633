package org.pgbaton.chaos.worker;

import java.util.Locale;

/** What a {@link WorkerProgram} does. */
public enum Part {
    /** Leads, and writes under its guard. */
    LEADERSHIP(Kind.LEADERSHIP),
    /** A projection in order for each key. */
    PROJECTION(Kind.PROJECTION),
    /** A projection in total order. */
    TOTAL(Kind.PROJECTION),
    /** A projection that is being rebuilt: the live one. */
    REBUILT(Kind.PROJECTION),
    /** The same: the one that is to take its place. */
    REBUILD(Kind.PROJECTION),
    /** A reaction, which writes over a connection of its own. */
    REACTION(Kind.REACTION),
    /** A relay to an endpoint over HTTP. */
    WEBHOOK(Kind.AT_LEAST_ONCE),
    /** A relay to Kafka, exactly once. */
    KAFKA(Kind.EXACTLY_ONCE),
    /** A relay to Kafka, at least once. */
    KAFKA_AGAIN(Kind.AT_LEAST_ONCE),
    /** A relay to RabbitMQ. */
    RABBITMQ(Kind.AT_LEAST_ONCE),
    /** A relay to NATS, which knows what comes again. */
    NATS(Kind.EXACTLY_ONCE),
    /** A capture of a table, and a projection of its log. */
    CAPTURE(Kind.CAPTURE),
    /** A relay of the capture's log to an endpoint over HTTP, as a channel is. */
    CHANNEL(Kind.AT_LEAST_ONCE);

    /** What is promised for it. */
    public enum Kind {
        LEADERSHIP,
        PROJECTION,
        REACTION,
        AT_LEAST_ONCE,
        EXACTLY_ONCE,
        CAPTURE
    }

    /** The name of the leadership. */
    public static final String JOB = "job";
    /** Of the subscription {@link #REBUILT}. */
    public static final String NEXT = "next";
    /** Of the table that {@link #CAPTURE} captures; its log has the same name. */
    public static final String ACCOUNTS = "account";

    private final Kind kind;

    Part(Kind kind) {
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** Of the subscription and of the rows it writes. */
    public String subscription() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether nothing is promised against a message that comes again. */
    public boolean mayComeAgain() {
        return kind == Kind.AT_LEAST_ONCE || kind == Kind.REACTION;
    }

    /** Whether it may handle everything again, once what it wrote is gone. */
    public boolean canStartOver() {
        return mayComeAgain() || this == PROJECTION || this == TOTAL;
    }

    /** Whether a target outside the database is needed. */
    public boolean hasTarget() {
        return kind == Kind.AT_LEAST_ONCE || kind == Kind.EXACTLY_ONCE;
    }
}
