package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Real shells complete with the scripts of {@code baton completion}, and {@code man} shows the manual pages. */
class ShellsTest {

    @TempDir
    private Path folder;

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        String script = "compopt() { :; }; source '" + completion("bash")
                + "'; complete_at() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
                + " COMP_LINE=\"$*\"; COMPREPLY=(); _complete_baton; printf '%s\\n' \"${COMPREPLY[@]}\"; }; ";

        assertThat(run("bash", "-c", script + "complete_at baton subscriptions pa"))
                .containsExactly("pause");
        assertThat(run("bash", "-c", script + "complete_at baton serve --chec")).containsExactly("--check");
        assertThat(run("bash", "-c", script + "complete_at baton ''"))
                .contains("serve")
                .doesNotContain("warm-up");
    }

    @Test
    void fishCompletesCommandsAndOptions() throws Exception {
        String script = "source '" + completion("fish") + "'; complete -C ";

        assertThat(run("fish", "-c", script + "'baton subscriptions pa'"))
                .singleElement()
                .asString()
                .startsWith("pause\tPauses");
        assertThat(run("fish", "-c", script + "'baton serve --chec'"))
                .singleElement()
                .asString()
                .startsWith("--check\t");
        assertThat(run("fish", "-c", script + "'baton lead nightly -- --chec'")).isEmpty();
    }

    @Test
    void zshCompletesCommandsAndOptions() throws Exception {
        // Without a terminal: what zsh would show is printed.
        String script =
                "compdef() { }; _describe() { print -l -- ${(P)@[-1]} }; _files() { print files }; _normal() { print command };"
                        + " source '" + completion("zsh") + "'; complete_at() { words=(\"$@\"); CURRENT=$#; _baton }; ";

        assertThat(run("zsh", "-fc", script + "complete_at baton subscriptions ''"))
                .anyMatch(line -> line.startsWith("pause:Pauses"));
        assertThat(run("zsh", "-fc", script + "complete_at baton serve -"))
                .anyMatch(line -> line.startsWith("--check:"));
        assertThat(run("zsh", "-fc", script + "complete_at baton serve --config ''"))
                .containsExactly("files");
        assertThat(run("zsh", "-fc", script + "complete_at baton lead nightly -- ''"))
                .containsExactly("command");
    }

    @Test
    void everyCommandHasAManualPageThatManUnderstands() throws Exception {
        assertThat(Main.run("man-pages", folder.resolve("man").toString())).isZero();

        Set<String> pages;
        try (Stream<Path> files = Files.list(folder.resolve("man"))) {
            pages = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
        assertThat(pages)
                .contains("baton.1")
                .containsAll(EveryCommandsOutputTest.leaves(new CommandLine(new Main()), List.of()).stream()
                        .map(words -> "baton-" + String.join("-", words) + ".1")
                        .toList());
        for (String page : pages) {
            assertThat(run(
                            "man",
                            "--warnings=all",
                            "-E",
                            "UTF-8",
                            "-l",
                            folder.resolve("man/" + page).toString()))
                    .noneMatch(line -> line.contains("warning"))
                    .anyMatch(line -> line.startsWith("NAME"));
        }
    }

    private Path completion(String shell) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(Main.run("completion", shell)).isZero();
        } finally {
            System.setOut(out);
        }
        return Files.write(folder.resolve("baton." + shell), said.toByteArray());
    }

    private List<String> run(String... command) throws Exception {
        assumeThat(Stream.of(System.getenv("PATH").split(":")).map(path -> Path.of(path, command[0])))
                .as("%s is not installed", command[0])
                .anyMatch(Files::isExecutable);
        Path said = folder.resolve("said");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        assertThat(process.waitFor(Cli.PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        return Files.readAllLines(said).stream().filter(line -> !line.isBlank()).toList();
    }
}
