package org.pgbaton.server.shell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A command and its subcommands as people see them: hidden commands and options are left out. Immutable.
 *
 * @param words how it is called: "baton subscriptions pause"
 * @param summary one sentence
 * @param examples the lines below "Examples:", without their indentation
 */
record CommandTree(
        String words,
        String summary,
        List<String> examples,
        List<String> description,
        List<Option> options,
        List<Option> parameters,
        List<String> footer,
        List<CommandTree> subcommands) {

    /**
     * An option or a parameter.
     *
     * @param names of an option, the shortest first; of a parameter its label
     * @param value what follows an option: its label; empty if nothing does
     */
    record Option(List<String> names, String value, String description, boolean required, boolean repeated) {
        boolean takesValue() {
            return !value.isEmpty();
        }
    }

    static CommandTree of(CommandLine command) {
        CommandLine.Model.CommandSpec spec = command.getCommandSpec();
        CommandLine.Model.UsageMessageSpec usage = spec.usageMessage();
        List<String> header = List.of(usage.header());
        int examples = header.indexOf("Examples:");
        return new CommandTree(
                spec.qualifiedName(),
                header.isEmpty() ? String.join(" ", usage.description()) : header.get(0),
                examples < 0
                        ? List.of()
                        : header.stream()
                                .skip(examples + 1L)
                                .filter(line -> !line.isBlank())
                                .map(String::strip)
                                .toList(),
                header.isEmpty() ? List.of() : List.of(usage.description()),
                spec.options().stream()
                        .filter(option -> !option.hidden())
                        .map(CommandTree::option)
                        .toList(),
                spec.positionalParameters().stream()
                        .filter(parameter -> !parameter.hidden())
                        .map(CommandTree::parameter)
                        .toList(),
                Stream.of(usage.footer()).filter(line -> !line.isBlank()).toList(),
                command.getSubcommands().values().stream()
                        .distinct()
                        .filter(sub -> !sub.getCommandSpec().usageMessage().hidden())
                        .map(CommandTree::of)
                        .toList());
    }

    private static Option option(OptionSpec option) {
        return new Option(
                Arrays.stream(option.names())
                        .sorted((a, b) -> Integer.compare(a.length(), b.length()))
                        .toList(),
                option.arity().max() > 0 ? option.paramLabel() : "",
                String.join(" ", option.description()),
                option.required(),
                option.isMultiValue());
    }

    private static Option parameter(PositionalParamSpec parameter) {
        return new Option(
                List.of(parameter.paramLabel()),
                "",
                String.join(" ", parameter.description()),
                parameter.required(),
                parameter.isMultiValue());
    }

    /** The last of its words. */
    String name() {
        return words.substring(words.lastIndexOf(' ') + 1);
    }

    /** This command and all below it. */
    List<CommandTree> all() {
        List<CommandTree> all = new ArrayList<>(List.of(this));
        subcommands.forEach(sub -> all.addAll(sub.all()));
        return all;
    }
}
