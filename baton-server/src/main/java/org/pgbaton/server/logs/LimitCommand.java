package org.pgbaton.server.logs;

import org.pgbaton.Baton;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton logs limit}. */
@Command(
        name = "limit",
        mixinStandardHelpOptions = true,
        description =
                "A larger payload is refused when it is written. Give no more than the target takes: a Kafka broker 1 MB, "
                        + "unless it was told otherwise. What is in the log stays.",
        header = {
            "Says how large a payload in an outbox may be.",
            "",
            "Examples:",
            "  baton logs limit outbox 5MB",
            "  baton logs limit outbox 500000",
            "",
        })
final class LimitCommand extends LogsTask {
    @Parameters(index = "0", paramLabel = "NAME", description = "The outbox.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "SIZE", description = "For example 500000, 512kB or 5MB.")
    private ByteSize size = new ByteSize(0);

    @Override
    int run(Baton baton) {
        baton.logs().setPayloadLimit(name, size.bytes());
        if (json()) {
            Output.json(LogOutput.asMap(baton.logs().show(name)));
        } else {
            Output.line(name + " takes payloads of up to " + Output.count(size.bytes(), "byte"));
        }
        return ExitCode.DONE;
    }
}
