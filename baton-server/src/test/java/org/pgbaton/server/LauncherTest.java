package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./baton} of a source checkout: finds a Java, builds when something changed, and passes everything on. Java and Maven
 * are scripts here that say what they were called with, so nothing is really built.
 */
class LauncherTest {
    private static final String TOOLS = "sh dirname readlink sed head tail find mkdir mv locale flock printf cat";

    @TempDir
    private Path folder;

    private Path checkout;
    private Path tools;
    private Path java17;

    @BeforeEach
    void prepare() throws IOException {
        checkout = Files.createDirectories(folder.resolve("a folder/check out"));
        Files.copy(Path.of("..", "baton"), checkout.resolve("baton"));
        Path shared = Files.createDirectories(checkout.resolve("baton-server/src/main/sh"));
        Files.copy(Path.of("src/main/sh/launcher.sh"), shared.resolve("launcher.sh"));
        Files.createFile(checkout.resolve("pom.xml"));
        tools = Files.createDirectories(folder.resolve("tools"));
        for (String tool : TOOLS.split(" ")) {
            for (String place : List.of("/bin", "/usr/bin")) {
                Path program = Path.of(place, tool);
                if (Files.exists(program) && !Files.exists(tools.resolve(tool))) {
                    Files.createSymbolicLink(tools.resolve(tool), program);
                }
            }
        }
        script(tools.resolve("mvn"), "echo \"built with $JAVA_HOME\" >>'" + folder.resolve("builds") + "'");
        java17 = java("17.0.1");
    }

    @Test
    void argumentsAndExitCodePassUnchanged() throws Exception {
        Result result =
                run(checkout.resolve("baton"), Map.of(), "lead", "*", "a  b", "", "--", "$HOME", "it's", "\\", "ü");

        assertThat(result.out.lines().skip(1))
                .containsExactly("[lead]", "[*]", "[a  b]", "[]", "[--]", "[$HOME]", "[it's]", "[\\]", "[ü]");
        assertThat(result.code).isEqualTo(42);
    }

    @Test
    void itBuildsOnceAndAgainWhenSomethingChanged() throws Exception {
        Path baton = checkout.resolve("baton");
        assertThat(run(baton, Map.of(), "status").err).isEqualTo("baton: Building it, which is needed only once …\n");
        assertThat(run(baton, Map.of(), "status").err).isEmpty();

        Path changed = Files.createFile(checkout.resolve("baton-server/src/main/Changed.java"));
        Files.setLastModifiedTime(changed, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(run(baton, Map.of(), "status").err).contains("Building it");
        assertThat(folder.resolve("builds")).content().hasLineCount(2);
    }

    @Test
    void itCanBeCalledThroughASymbolicLink() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), checkout.resolve("baton"));

        assertThat(run(link, Map.of(), "status").out).contains("-cp " + checkout + "/baton-server/target/");
    }

    @Test
    void itCanBeCalledWithARelativePath() throws Exception {
        assertThat(run(Path.of("a folder/check out/baton"), Map.of("CDPATH", "/tmp"), "status").out)
                .contains("-cp " + checkout + "/baton-server/target/");
    }

    @Test
    void anOldJavaIsPassedOverForTheBuildToo() throws Exception {
        Path old = java("11.0.2");
        Result result = run(
                checkout.resolve("baton"),
                Map.of("JAVA_HOME", old.toString(), "PATH", java17.resolve("bin") + ":" + tools),
                "status");

        assertThat(result.code).isEqualTo(42);
        assertThat(result.out).startsWith("java 17.0.1 ");
        assertThat(folder.resolve("builds")).hasContent("built with " + java17);
    }

    @Test
    void aJavaWithoutAReleaseFileIsAsked() throws Exception {
        Files.delete(java17.resolve("release"));

        assertThat(run(checkout.resolve("baton"), Map.of(), "status").code).isEqualTo(42);
    }

    @Test
    void withoutMavenItSaysHowToGetIt() throws Exception {
        Files.delete(tools.resolve("mvn"));

        Result result = run(checkout.resolve("baton"), Map.of(), "status");
        assertThat(result.err)
                .isEqualTo("baton: Maven is needed to build it: apt-get install maven, or brew install maven.\n");
        assertThat(result.out).isEmpty();
        assertThat(result.code).isEqualTo(78);
    }

    @Test
    void aBuildThatFailsShowsItsReason() throws Exception {
        script(
                tools.resolve("mvn"),
                "echo '[ERROR] Main.java:[3,1] missing bracket -> [Help 1]'; echo '[ERROR] [Help 1] x'; exit 1");

        Result result = run(checkout.resolve("baton"), Map.of(), "status");
        assertThat(result.err.lines().skip(1))
                .containsExactly(
                        "[ERROR] Main.java:[3,1] missing bracket -> [Help 1]",
                        "baton: The build failed; all of its output is in " + checkout
                                + "/baton-server/target/build.log");
        assertThat(result.code).isEqualTo(78);

        script(tools.resolve("mvn"), "exit 0");
        assertThat(run(checkout.resolve("baton"), Map.of(), "status").code).isEqualTo(42);
    }

    @Test
    void inALocaleWithoutEncodingJavaStillUnderstandsUmlauts() throws Exception {
        assertThat(run(checkout.resolve("baton"), Map.of("LC_ALL", "C"), "status").out)
                .contains("locale C.UTF-8, before C,");
        assertThat(run(checkout.resolve("baton"), Map.of("LC_ALL", ""), "status").out)
                .contains("locale C.UTF-8, before ,");
        assertThat(run(checkout.resolve("baton"), Map.of("LC_ALL", "C.UTF-8"), "status").out)
                .contains("locale C.UTF-8, before unset,");
    }

    private record Result(int code, String out, String err) {}

    private Result run(Path program, Map<String, String> variables, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment()
                .putAll(Map.of("PATH", tools.toString(), "JAVA_HOME", java17.toString(), "LC_ALL", "C.UTF-8"));
        builder.environment().putAll(variables);
        Process process = builder.start();
        assertThat(process.waitFor(Cli.PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Says who it is, its locale and its options in one line, then each argument of Baton in one of its own. */
    private Path java(String version) throws IOException {
        Path home = folder.resolve("java " + version);
        Path bin = Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        script(bin.resolve("javac"), "echo 'javac " + version + "'");
        script(
                bin.resolve("java"),
                "if [ \"$1\" = -version ]; then echo 'openjdk version \"" + version + "\" 2021' >&2; exit; fi",
                "line=\"java " + version + " locale $LC_ALL, before ${BATON_LC_ALL-unset},\"",
                "while [ \"$1\" != org.pgbaton.server.Main ]; do line=\"$line $1\"; shift; done",
                "shift",
                "echo \"$line\"",
                "printf '[%s]\\n' \"$@\"",
                "exit 42");
        return home;
    }

    private static void script(Path file, String... lines) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
