package org.pgbaton.server.shell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The manual page of one command, in the format of {@code man}. */
final class ManPage {
    private static final String EXIT_STATUS = """
            0 done; 1 negative verdict; 64 usage; 69 database unreachable; 70 internal error; 75 held by somebody else or waited in vain; 78 \
            configuration.""";

    private final CommandTree command;
    private final String version;
    private final List<String> seeAlso;
    private final StringBuilder page = new StringBuilder();

    /** @param seeAlso words of other commands */
    ManPage(CommandTree command, String version, List<String> seeAlso) {
        this.command = command;
        this.version = version;
        this.seeAlso = seeAlso;
    }

    static String fileName(String words) {
        return words.replace(' ', '-') + ".1";
    }

    String text() {
        String title = command.words().replace(' ', '-');
        macro(".TH " + title.toUpperCase(Locale.ROOT).replace("-", "\\-") + " 1 \"\" \"" + escaped(version)
                + "\" \"Baton\"");
        section("NAME");
        line(title + " - " + withoutFullStop(command.summary()));
        section("SYNOPSIS");
        macro(".B " + escaped(command.words()));
        synopsis().forEach(this::line);
        if (!command.description().isEmpty()) {
            section("DESCRIPTION");
            paragraphs(command.description());
        }
        if (!command.parameters().isEmpty()) {
            section("ARGUMENTS");
            command.parameters().forEach(this::entry);
        }
        section("OPTIONS");
        command.options().forEach(this::entry);
        if (!command.subcommands().isEmpty()) {
            section("COMMANDS");
            for (CommandTree sub : command.subcommands()) {
                tagged(sub.words().replace(' ', '-') + "(1)", sub.summary());
            }
        }
        if (!command.examples().isEmpty()) {
            section("EXAMPLES");
            macro(".nf");
            command.examples().forEach(this::line);
            macro(".fi");
        }
        if (!command.footer().isEmpty()) {
            section("NOTES");
            macro(".nf");
            command.footer().forEach(this::line);
            macro(".fi");
        }
        section("EXIT STATUS");
        line(EXIT_STATUS);
        if (!seeAlso.isEmpty()) {
            section("SEE ALSO");
            line(seeAlso.stream().map(words -> words.replace(' ', '-') + "(1)").collect(Collectors.joining(", ")));
        }
        return page.toString();
    }

    private List<String> synopsis() {
        List<String> parts = new ArrayList<>();
        parts.add("[options]");
        for (CommandTree.Option parameter : command.parameters()) {
            String label = parameter.names().get(0) + (parameter.repeated() ? " ..." : "");
            parts.add(parameter.required() ? label : "[" + label + "]");
        }
        if (!command.subcommands().isEmpty()) {
            parts.add("COMMAND");
        }
        return parts;
    }

    private void entry(CommandTree.Option option) {
        tagged(
                String.join(", ", option.names()) + (option.takesValue() ? " " + option.value() : ""),
                option.description());
    }

    private void tagged(String tag, String text) {
        macro(".TP");
        macro(".B " + escaped(tag));
        line(text);
    }

    private void paragraphs(List<String> paragraphs) {
        for (String paragraph : paragraphs) {
            macro(".PP");
            Arrays.stream(paragraph.split("(?<=\\.) (?=[A-Z])")).forEach(this::line);
        }
    }

    private void section(String title) {
        macro(".SH " + title);
    }

    private void macro(String line) {
        page.append(line).append('\n');
    }

    /** A line that begins with a point or an apostrophe would be a command of the formatter. */
    private void line(String text) {
        String line = escaped(text);
        page.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "")
                .append(line)
                .append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
    }

    private static String withoutFullStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }
}
