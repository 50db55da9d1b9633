package org.pgbaton.server.demo;

import java.util.concurrent.Callable;
import org.pgbaton.server.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description =
                "Starts a throw-away PostgreSQL and three worker processes, of which one leads; kills the leader with "
                        + "kill -9 again and again, and says who took over and after how many milliseconds. Leaves nothing behind.",
        header = {
            "Kills leaders and shows who takes over, after how many milliseconds.",
            "",
            "Examples:",
            "  baton demo",
            "  baton demo --rounds 10",
            ""
        })
public final class DemoCommand implements Callable<Integer> {
    static final String LEADERSHIP = "demo";

    @Option(names = "--rounds", paramLabel = "N", description = "Stop after so many takeovers (default: at Ctrl-C).")
    private int rounds;

    @Override
    public Integer call() throws Exception {
        if (rounds < 0) {
            throw new IllegalArgumentException(
                    "--rounds " + rounds + " makes no sense: give 1 or more, or leave it out.");
        }
        return new Demo(rounds == 0 ? Integer.MAX_VALUE : rounds).run() ? ExitCode.DONE : ExitCode.NEGATIVE;
    }
}
