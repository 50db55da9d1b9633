package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** docs/command-line.md has a section for every command, which names its subcommands and options, and no others. */
class CommandLineDocsTest {
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");
    /** Explained once, for all of them. */
    private static final String DATABASE = "Which database";
    /** In a source checkout only, by the launcher. */
    private static final Set<String> OF_THE_CHECKOUT = Set.of("bench", "chaos");

    private final Map<String, String> sections = sections();
    private final CommandLine baton = new CommandLine(new Main());

    @Test
    void everyCommandHasASectionAndEverySectionOfACommandACommand() {
        List<String> commands = visible(baton).keySet().stream()
                .filter(name -> !name.equals("help"))
                .toList();

        assertThat(sections.keySet()).containsAll(commands);
        assertThat(commands)
                .containsAll(
                        linked().filter(name -> !OF_THE_CHECKOUT.contains(name)).toList());
        assertThat(linked()).containsAll(commands);
    }

    @Test
    void everySubcommandIsNamedInItsSection() {
        visible(baton)
                .forEach((name, command) -> visible(command)
                        .keySet()
                        .forEach(sub -> assertThat(sections.get(name))
                                .as("the section '%s'", name)
                                .containsPattern("baton " + name + " " + sub + "\\b|`" + sub + "`|\\b" + name
                                        + " \\S*\\b" + sub + "\\b")));
    }

    @Test
    void everyOptionIsNamedInItsSectionOrAmongThoseOfAllCommands() {
        SoftAssertions all = new SoftAssertions();
        visible(baton)
                .forEach((name, command) -> optionsOf(command).stream()
                        .filter(option -> !name.equals("help"))
                        .filter(option -> !isNamed(option, sections.getOrDefault(name, "") + sections.get(DATABASE)))
                        .forEach(option ->
                                all.fail("The section '" + name + "' does not name " + option.longestName())));
        all.assertAll();
    }

    @Test
    void noSectionNamesAnOptionThatThereIsNot() {
        Set<String> existing = new TreeSet<>();
        optionsOf(baton).forEach(option -> existing.addAll(List.of(option.names())));
        existing.addAll(List.of("--help", "--version"));

        sections.forEach((name, text) -> {
            if (!OF_THE_CHECKOUT.contains(name)) {
                assertThat(existing).as("options in the section '%s'", name).containsAll(options(name));
            }
        });
    }

    private static boolean isNamed(OptionSpec option, String text) {
        return Stream.of(option.names())
                .anyMatch(name -> Pattern.compile("(?<![\\w-])" + name + "(?![\\w-])")
                        .matcher(text)
                        .find());
    }

    /** With those of its subcommands, and without {@code --help} and {@code --version}. */
    private static List<OptionSpec> optionsOf(CommandLine command) {
        List<OptionSpec> options = new ArrayList<>(command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp())
                .toList());
        visible(command).values().forEach(sub -> options.addAll(optionsOf(sub)));
        return options;
    }

    private Set<String> options(String section) {
        Set<String> options = new TreeSet<>();
        Matcher option = OPTION.matcher(sections.getOrDefault(section, ""));
        while (option.find()) {
            options.add(option.group());
        }
        return options;
    }

    private static Map<String, CommandLine> visible(CommandLine command) {
        Map<String, CommandLine> visible = new LinkedHashMap<>();
        command.getSubcommands().forEach((name, sub) -> {
            if (!sub.getCommandSpec().usageMessage().hidden()) {
                visible.put(name, sub);
            }
        });
        return visible;
    }

    /** The commands in the table at the top. */
    private Stream<String> linked() {
        List<String> names = new ArrayList<>();
        Matcher row = Pattern.compile("(?m)^\\| \\[`([a-z]+)`]\\(#").matcher(sections.getOrDefault("", ""));
        while (row.find()) {
            names.add(row.group(1));
        }
        return names.stream();
    }

    private static Map<String, String> sections() {
        try {
            Map<String, String> sections = new LinkedHashMap<>();
            String heading = "";
            StringBuilder text = new StringBuilder();
            for (String line : Files.readAllLines(Path.of("../docs/command-line.md"))) {
                if (line.startsWith("## ")) {
                    sections.put(heading, text.toString());
                    heading = line.substring(3);
                    text = new StringBuilder();
                }
                text.append(line).append('\n');
            }
            sections.put(heading, text.toString());
            return sections;
        } catch (IOException missing) {
            throw new AssertionError(missing);
        }
    }
}
