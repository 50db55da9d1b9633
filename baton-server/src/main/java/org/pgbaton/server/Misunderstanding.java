package org.pgbaton.server;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What was wrong with the command line, in a sentence, and the name that was probably meant. */
public final class Misunderstanding {
    private static final int LONGEST = 300;

    private Misunderstanding() {}

    /** @return the exit code; the sentence goes to standard error */
    static int explain(ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        Output.say("baton: " + shortened(sentence(wrong, command, List.of(arguments))));
        Output.say("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
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
            return "There is no option '" + option + "'" + didYouMean(option, options);
        }
        List<String> commands = command.getSubcommands().entrySet().stream()
                .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                .map(each -> each.getKey())
                .toList();
        return commands.isEmpty()
                ? "The argument '" + argument + "' is one too many."
                : "There is no command '" + argument + "'" + didYouMean(argument, commands);
    }

    /** The end of a sentence: a full stop, or the name that was probably meant. */
    public static String didYouMean(String written, Collection<String> names) {
        return nearest(written, names)
                .map(name -> "; did you mean '" + name + "'?")
                .orElse(".");
    }

    /** The name that was probably meant. */
    public static Optional<String> nearest(String written, Collection<String> names) {
        if (written.length() > LONGEST) {
            return Optional.empty();
        }
        return names.stream()
                .filter(name -> edits(written, name) <= Math.max(1, Math.min(written.length(), name.length()) / 3))
                .min(Comparator.comparingInt(name -> edits(written, name)));
    }

    /** Letters inserted, left out, changed, or swapped with their neighbour, to get from one to the other. */
    private static int edits(String from, String to) {
        int[][] least = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                least[i][j] = i == 0 || j == 0 ? i + j : edits(least, from, to, i, j);
            }
        }
        return least[from.length()][to.length()];
    }

    private static int edits(int[][] least, String from, String to, int i, int j) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int edits = Math.min(least[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(least[i - 1][j], least[i][j - 1]));
        boolean swapped =
                i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
        return swapped ? Math.min(edits, least[i - 2][j - 2] + 1) : edits;
    }

    private static String shortened(String sentence) {
        return sentence.length() <= LONGEST ? sentence : sentence.substring(0, LONGEST) + "…";
    }
}
