package org.pgbaton.server.shell;

/**
 * The completion of fish: one line for each command and option, with its description. A function of the script finds out which command has been
 * typed so far; words after {@code --} belong to the command that {@code lead} runs.
 */
final class FishCompletion {
    private final CommandTree baton;
    private final StringBuilder script = new StringBuilder();

    FishCompletion(CommandTree baton) {
        this.baton = baton;
    }

    String script() {
        script.append("""
                # Completion of baton for fish. Made by 'baton completion fish'.
                function __baton_at --description 'Whether this is the command that has been typed so far'
                    set -l at baton
                    for word in (commandline -opc)[2..]
                        test "$word" = --; and return 1
                        contains -- "$at $word" $__baton_commands; and set at "$at $word"
                    end
                    test "$at" = "$argv"
                end
                """);
        script.append("set -g __baton_commands");
        baton.all().forEach(command -> script.append(' ').append(quoted(command.words())));
        script.append('\n');
        baton.all().forEach(this::add);
        return script.toString();
    }

    private void add(CommandTree command) {
        if (!command.subcommands().isEmpty()) {
            line(command, "-f");
            command.subcommands().forEach(sub -> line(command, "-f -a " + sub.name() + " -d " + quoted(sub.summary())));
        }
        for (CommandTree.Option option : command.options()) {
            StringBuilder what = new StringBuilder();
            for (String name : option.names()) {
                what.append(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
                        .append(' ');
            }
            line(command, what + (option.takesValue() ? "-r " : "") + "-d " + quoted(option.description()));
        }
    }

    private void line(CommandTree command, String what) {
        script.append("complete -c baton -n ")
                .append(quoted("__baton_at " + command.words()))
                .append(' ')
                .append(what)
                .append('\n');
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
