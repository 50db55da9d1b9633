package org.pgbaton.server.logs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.server.command.Confirmation;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton logs redact}. */
@Command(
        name = "redact",
        mixinStandardHelpOptions = true,
        description =
                "Position, id, key, type and topic stay, so that order and identity do. Who, when and why is recorded in the "
                        + "table 'action'. Copies that were sent, backups and WAL archives still have the content.",
        header = {
            "Blanks the payload and headers of one message, for good.",
            "",
            "Examples:",
            "  baton logs redact orders 4711 --reason 'erasure request 17'",
            "  baton logs redact orders 4711 --reason 'erasure request 17' --yes",
            "",
        })
final class RedactCommand extends LogsTask {
    @Parameters(index = "0", paramLabel = "NAME", description = "The log.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "POSITION", description = "The message's position.")
    private Long position = 0L;

    @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "Why, for the record.")
    private String reason = "";

    @Option(
            names = "--who",
            paramLabel = "TEXT",
            description = "Who asked for it, for the record (default: this user).")
    private @Nullable String who;

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    int run(Baton baton) throws IOException {
        Message message = find(baton);
        Output.say("Position " + position + " of log '" + name + "', recorded at " + message.recordedAt()
                + ": key '" + message.key() + "', "
                + (message.type() == null ? "no type" : "type '" + message.type() + "'") + ".");
        if (!confirmation.given("This blanks its payload (" + message.payload().length + " bytes)"
                + (message.headers() == null ? "" : " and its headers") + ", which cannot be brought back.")) {
            return ExitCode.NEGATIVE;
        }
        String asker = who == null ? System.getProperty("user.name") + " on " + baton.who() : who;
        baton.logs().redact(name, position, asker, reason);
        if (json()) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("log", name);
            map.put("position", position);
            map.put("id", message.id().toString());
            map.put("who", asker);
            map.put("reason", reason);
            Output.json(map);
        } else {
            Output.line("redacted " + name + " " + position);
        }
        return ExitCode.DONE;
    }

    private Message find(Baton baton) {
        List<Message> found =
                baton.log(name).read().unsettled().from(position).limit(1).list();
        if (found.isEmpty() || found.get(0).position() != position) {
            throw new UsageException("The log '" + name + "' has no row at position " + position
                    + ": it never had one, or retention removed it.");
        }
        return found.get(0);
    }
}
