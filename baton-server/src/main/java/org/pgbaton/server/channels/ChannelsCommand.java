package org.pgbaton.server.channels;

import org.pgbaton.server.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code baton channels}. */
@Command(
        name = "channels",
        mixinStandardHelpOptions = true,
        description =
                "A channel tells somebody of row changes, by webhook, Slack, e-mail, standard output or log. How far each is, and "
                        + "what is stuck: see 'baton subscriptions list' and 'baton parked list'.",
        header = {
            "Shows the channels of a configuration file, and tries them out.",
            "",
            "Examples:",
            "  baton channels list",
            "  baton channels test ops                                        what would be sent, for a sample",
            "  baton channels test ops --row '{\"id\": 7, \"severity\": \"high\"}'   for this row, as if inserted",
            "  baton channels test ops --row '{\"id\": 7}' --send               really sends it, once",
            ""
        },
        subcommands = {
            ListCommand.class,
            TestCommand.class,
        })
public final class ChannelsCommand extends CommandGroup {}
