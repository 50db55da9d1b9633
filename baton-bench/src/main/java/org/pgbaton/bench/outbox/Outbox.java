package org.pgbaton.bench.outbox;

import java.sql.SQLException;
import java.util.Locale;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Place;

/** A table that a contestant relays from, and which anybody can write to with SQL. */
enum Outbox {
    BATON(
            "INSERT INTO baton.outbox (topic, key, payload) SELECT 'trades', %s, (%s)::json FROM generate_series(%d, %d) n",
            "INSERT INTO baton.outbox (topic, key, payload) VALUES ('trades', ?, ?::json)", "baton.outbox"),
    /**
     * As Debezium's event router expects it. The slot is made before the first row, which would not be seen otherwise.
     */
    EVENT_ROUTER(
            "INSERT INTO outboxevent (aggregatetype, aggregateid, type, payload) SELECT 'trades', %s, 'traded', %s "
                    + "FROM generate_series(%d, %d) n",
            "INSERT INTO outboxevent (aggregatetype, aggregateid, type, payload) VALUES ('trades', ?, 'traded', ?)",
            "outboxevent"),
    /** With the index that polling needs. */
    STATUS(
            "INSERT INTO outbox_event (portfolio_id, payload) SELECT %s, %s FROM generate_series(%d, %d) n",
            "INSERT INTO outbox_event (portfolio_id, payload) VALUES (?, ?)", "outbox_event");

    private static final int ROWS_OF_A_TRANSACTION = 1000;

    private final String fill;
    private final String insert;
    private final String table;

    Outbox(String fill, String insert, String table) {
        this.fill = fill;
        this.insert = insert;
        this.table = table;
    }

    private String[] preparations() {
        return switch (this) {
            case BATON -> new String[] {};
            case EVENT_ROUTER ->
                new String[] {
                    "CREATE TABLE outboxevent (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregatetype varchar(255) NOT NULL, "
                            + "aggregateid varchar(255) NOT NULL, type varchar(255) NOT NULL, payload text)",
                    "CREATE PUBLICATION dbz_publication FOR TABLE outboxevent",
                    "SELECT pg_create_logical_replication_slot('bench_' || current_database(), 'pgoutput')"
                };
            case STATUS ->
                new String[] {
                    "CREATE TABLE outbox_event (id bigserial PRIMARY KEY, portfolio_id text NOT NULL, payload text NOT NULL, "
                            + "status text NOT NULL DEFAULT 'PENDING', created_at timestamptz NOT NULL DEFAULT clock_timestamp())",
                    "CREATE INDEX ON outbox_event (created_at, id) WHERE status = 'PENDING'"
                };
        };
    }

    /** With a key and a payload as parameters. */
    String insert() {
        return insert;
    }

    /** A slot cannot be copied. */
    boolean canBeCopied() {
        return this != EVENT_ROUTER;
    }

    Place empty(Arena arena) throws SQLException {
        Place place = this == BATON ? arena.place() : arena.emptyPlace();
        place.execute(preparations());
        return place;
    }

    /** Writes so many messages, and leaves the table vacuumed and analysed. */
    void fill(Place place, int messages) throws SQLException {
        String[] transactions = new String[(messages + ROWS_OF_A_TRANSACTION - 1) / ROWS_OF_A_TRANSACTION];
        for (int i = 0; i < transactions.length; i++) {
            int from = i * ROWS_OF_A_TRANSACTION;
            int to = Math.min(messages, from + ROWS_OF_A_TRANSACTION) - 1;
            transactions[i] = String.format(Locale.ROOT, fill, Messages.SQL_KEY, Messages.SQL_PAYLOAD, from, to);
        }
        place.execute(transactions);
        place.execute("VACUUM (ANALYZE) " + table, "CHECKPOINT");
    }
}
