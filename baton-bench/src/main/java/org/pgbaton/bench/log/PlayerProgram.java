package org.pgbaton.bench.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.PlayerLoop;

/** The program of a {@link Player} for Baton. With a URL as argument it is also a contestant, as the peers are. */
final class PlayerProgram {
    private final @Nullable Contest contest;
    private final Flow flow = new Flow();
    private final Membership membership = new Membership();

    private PlayerProgram(@Nullable Contest contest) {
        this.contest = contest;
    }

    public static void main(String[] arguments) throws IOException {
        PlayerProgram program = new PlayerProgram(arguments.length == 0 ? null : new Contest(arguments[0]));
        PlayerLoop.run(program::play);
    }

    private String play(String[] words) throws Exception {
        return switch (words[0]) {
            case "write" ->
                new Writers(words[1], words[2])
                        .run(
                                Integer.parseInt(words[3]),
                                Double.parseDouble(words[4]),
                                Double.parseDouble(words[5]),
                                Long.parseLong(words[6]));
            case "flow" -> flow.begin(words[1], Integer.parseInt(words[2]));
            case "dam" -> flow.end();
            case "copy" -> Reading.copy(words[1]);
            case "cursor" -> Reading.cursor(words[1], Integer.parseInt(words[2]));
            case "drain" ->
                Reading.drain(
                        words[1],
                        Integer.parseInt(words[2]),
                        Integer.parseInt(words[3]),
                        Long.parseLong(words[4]),
                        Long.parseLong(words[5]));
            case "project" ->
                Reading.project(
                        words[1],
                        words[2],
                        Integer.parseInt(words[3]),
                        Integer.parseInt(words[4]),
                        Long.parseLong(words[5]));
            case "latency" -> Latency.measure(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "join" ->
                membership.join(words[1], words[2], Integer.parseInt(words[3]), Membership.Work.valueOf(words[4]));
            case "count" -> membership.count();
            case "leave" -> membership.leave();
            case "run" ->
                contestant().run(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "backlog" -> contestant().backlog(Integer.parseInt(words[1]), Integer.parseInt(words[3]));
            default -> throw new IllegalArgumentException("unknown: " + words[0]);
        };
    }

    private Contest contestant() {
        if (contest == null) {
            throw new IllegalStateException("not a contestant");
        }
        return contest;
    }
}
