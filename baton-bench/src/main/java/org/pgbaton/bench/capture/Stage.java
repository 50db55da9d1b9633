package org.pgbaton.bench.capture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.Peers;
import org.pgbaton.bench.Player;

/** Starts the processes of contestants. */
final class Stage {
    private final Peers peers;

    Stage(Peers peers) {
        this.peers = peers;
    }

    /** @param own options in addition to the contestant's and the addresses */
    Player process(Wal wal, Contestant contestant, Map<String, String> own) throws IOException, InterruptedException {
        Map<String, String> options = new LinkedHashMap<>(contestant.options());
        options.put("url", wal.place().url());
        options.put("database", wal.place().name());
        options.put("slot", wal.slot(contestant.slot()));
        options.put("publication", Wal.PUBLICATION);
        options.put("table", Orders.TABLE);
        options.putAll(own);
        String classPath =
                contestant.module().isEmpty() ? Jars.classPath() : peers.classPathWithPrograms(contestant.module());
        return play(contestant.name(), classPath, contestant.mainClass(), options);
    }

    static Player writer(Wal wal) throws IOException, InterruptedException {
        return play(
                "writer",
                Jars.classPath(),
                OrderWriter.class.getName(),
                Map.of("url", wal.place().url()));
    }

    private static Player play(String name, String classPath, String mainClass, Map<String, String> options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(mainClass));
        options.forEach((option, value) -> arguments.add(option + "=" + value));
        return Player.of(name, List.of(), classPath, ContestantProgram.class.getName(), arguments);
    }
}
