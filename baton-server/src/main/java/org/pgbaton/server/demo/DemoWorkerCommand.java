package org.pgbaton.server.demo;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.pgbaton.Baton;
import org.pgbaton.leadership.State;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * One worker of the demo: a candidate that reports to its parent on standard output ({@code STANDBY}, {@code LEADING epoch},
 * {@code LOST}) and ends when its standard input does, so that it never outlives the demo.
 */
@Command(name = "demo-worker", hidden = true)
public final class DemoWorkerCommand implements Callable<Integer> {
    @Parameters(index = "0")
    private String url = "";

    @Parameters(index = "1")
    private String who = "";

    @Option(names = "--schema", required = true)
    private String schema = "";

    @Override
    public Integer call() throws IOException {
        try (Baton baton =
                Baton.builder(url).schema(schema).who(who).migrate(false).open()) {
            baton.addLeadershipListener(change -> say(change.to(), change.epoch()));
            baton.leadership(DemoCommand.LEADERSHIP).campaign(term -> {});
            while (System.in.read() >= 0) {
                // The parent says nothing; it only goes away.
            }
        }
        return 0;
    }

    private static void say(State state, long epoch) {
        System.out.println(state + " " + epoch);
        System.out.flush();
    }
}
