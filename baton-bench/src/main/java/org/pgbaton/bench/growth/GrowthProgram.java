package org.pgbaton.bench.growth;

import java.io.IOException;
import org.pgbaton.bench.arena.PlayerLoop;

/** The program of a {@link org.pgbaton.bench.arena.Player}: a process that reads with Baton, or one that writes. */
final class GrowthProgram {
    private final Readers readers = new Readers();
    private final Load load = new Load();

    private GrowthProgram() {}

    public static void main(String[] arguments) throws IOException {
        GrowthProgram program = new GrowthProgram();
        PlayerLoop.run(program::play);
    }

    private String play(String[] words) throws Exception {
        return switch (words[0]) {
            case "open" -> readers.open(words[1]);
            case "create" -> readers.create(words[1], Integer.parseInt(words[2]));
            case "subscribe" ->
                readers.subscribe(
                        words[1],
                        words[2],
                        Long.parseLong(words[3]),
                        Integer.parseInt(words[4]),
                        Integer.parseInt(words[5]),
                        Readers.Work.valueOf(words[6]));
            case "count" -> readers.count();
            case "delays" -> readers.delays();
            case "status" -> readers.status(Integer.parseInt(words[1]));
            case "retain" -> readers.retain(words[1]);
            case "pause" -> readers.pause(words[1]);
            case "delete" -> readers.delete();
            case "close" -> readers.close();
            case "write" ->
                Load.run(
                        words[1],
                        words[2],
                        Integer.parseInt(words[3]),
                        Double.parseDouble(words[4]),
                        Double.parseDouble(words[5]),
                        Integer.parseInt(words[6]),
                        Integer.parseInt(words[7]));
            case "flow" -> load.begin(words[1], words[2], Integer.parseInt(words[3]), Double.parseDouble(words[4]));
            case "flowed" -> load.delays();
            case "dam" -> load.end();
            default -> throw new IllegalArgumentException("unknown: " + words[0]);
        };
    }
}
