package org.pgbaton.bench.outbox;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;

/** One measurement of one contestant: a database, a topic, and its processes once they are started. Closing ends them all. */
final class Stage implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration PATIENCE_WITH_WRITERS = Duration.ofMinutes(3);

    private final Kafka kafka;
    private final Contestant contestant;
    private final Ground ground;
    private final Place place;
    private final Peers peers;
    private final String topic;
    private final int messages;
    private final List<Player> processes = new ArrayList<>();

    /**
     * The database of a measurement.
     *
     * @param isOwn whether it is dropped afterwards
     */
    record Ground(Place place, boolean isOwn) {
        static Ground own(Place place) {
            return new Ground(place, true);
        }

        static Ground shared(Place place) {
            return new Ground(place, false);
        }
    }

    Stage(Kafka kafka, Peers peers, Contestant contestant, Ground ground, int messages) {
        this.kafka = kafka;
        this.peers = peers;
        this.messages = messages;
        this.contestant = contestant;
        this.ground = ground;
        this.place = ground.place();
        this.topic = kafka.newTopic();
    }

    void start() throws IOException, InterruptedException {
        for (int i = 1; i <= contestant.processes(); i++) {
            processes.add(process(i));
        }
    }

    private Player process(int number) throws IOException, InterruptedException {
        Map<String, String> options = new LinkedHashMap<>(contestant.options());
        options.put("url", place.url());
        options.put("database", place.name());
        options.put("servers", kafka.servers());
        options.put("topic", topic);
        options.put("who", "process-" + number);
        options.put("messages", Integer.toString(messages));
        String classPath = contestant.module().isEmpty()
                ? System.getProperty("java.class.path")
                : peers.classPathWithPrograms(contestant.module());
        return play(contestant.name(), classPath, contestant.mainClass(), options);
    }

    private static Player play(String name, String classPath, String mainClass, Map<String, String> options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(mainClass));
        options.forEach((option, value) -> arguments.add(option + "=" + value));
        return Player.of(name, List.of(), classPath, ContestantProgram.class.getName(), arguments);
    }

    String topic() {
        return topic;
    }

    void execute(String sql) throws SQLException {
        place.execute(sql);
    }

    /** Writes a backlog with the contestant's own means. */
    void fill() throws IOException, InterruptedException {
        processes.get(0).ask(PATIENCE_WITH_WRITERS, "fill", 0, messages);
    }

    void begin() throws IOException, InterruptedException {
        for (Player process : processes) {
            process.ask(PATIENCE, "begin");
        }
    }

    /** CPU time of the contestant's processes so far, in nanoseconds. */
    long cpu() {
        return processes.stream()
                .limit(contestant.processes())
                .mapToLong(Player::cpu)
                .sum();
    }

    /** How many messages it has handled itself. */
    long count() throws IOException, InterruptedException {
        return processes.get(0).ask(PATIENCE, "count").number(0);
    }

    /** Writes at an even rate, and to the file when each message was committed. */
    void write(int from, int to, int perSecond, Path file) throws IOException, InterruptedException {
        if (contestant.outbox() == null) {
            processes.get(0).ask(PATIENCE_WITH_WRITERS, "write", from, to, perSecond, file);
            return;
        }
        if (processes.size() == contestant.processes()) {
            processes.add(play(
                    "writer",
                    System.getProperty("java.class.path"),
                    SqlWriter.class.getName(),
                    Map.of("url", place.url(), "insert", contestant.outbox().insert())));
        }
        processes.get(contestant.processes()).ask(PATIENCE_WITH_WRITERS, "write", from, to, perSecond, file);
    }

    /** A new database with nothing in the outbox. */
    static Ground empty(Arena arena, Contestant contestant) throws SQLException {
        return Ground.own(
                contestant.outbox() == null
                        ? arena.emptyPlace()
                        : contestant.outbox().empty(arena));
    }

    @Override
    public void close() throws SQLException {
        processes.forEach(Player::close);
        if (ground.isOwn()) {
            place.close();
        }
        kafka.drop(topic);
    }
}
