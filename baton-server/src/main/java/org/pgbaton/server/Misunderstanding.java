package org.pgbaton.server;

import java.util.List;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.command.Suggestion;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains what is wrong with a command line, and which name was probably meant. */
final class Misunderstanding {
    private static final int LONGEST = 300;

    private Misunderstanding() {}

    /** @return the exit code; the sentence goes to standard error */
    static int explain(ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        Output.complain("baton: " + shortened(sentence(wrong, command, List.of(arguments))));
        Output.complain("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE;
    }

    private static String sentence(ParameterException wrong, CommandLine command, List<String> arguments) {
        if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
            return String.valueOf(wrong.getMessage());
        }
        String argument = unmatched.getUnmatched().get(0);
        if (unmatched.isUnknownOption()) {
            String option = argument.replaceFirst("=.*", "");
            List<String> options = command.getCommandSpec().options().stream()
                    .filter(each -> !each.hidden())
                    .map(OptionSpec::longestName)
                    .toList();
            if (command.getCommandName().equals("lead") && !arguments.contains("--")) {
                return "There is no option '" + option
                        + "'; if it belongs to the command, write '--' before the command.";
            }
            return "There is no option '" + option + "'" + Suggestion.didYouMean(option, options);
        }
        List<String> commands = command.getSubcommands().entrySet().stream()
                .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                .map(each -> each.getKey())
                .toList();
        return commands.isEmpty()
                ? "The argument '" + argument + "' is one too many."
                : "There is no command '" + argument + "'" + Suggestion.didYouMean(argument, commands);
    }

    private static String shortened(String sentence) {
        return sentence.length() <= LONGEST ? sentence : sentence.substring(0, LONGEST) + "…";
    }
}
