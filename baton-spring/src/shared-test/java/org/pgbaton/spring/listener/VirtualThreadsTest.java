package org.pgbaton.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.EventLog;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Listeners have virtual threads if Boot has them on, and only then. Needs a Java that has them, which may be another than the build's. */
@BatonTest
class VirtualThreadsTest {
    private static final int FIRST_WITH_THEM = 21;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listenersHaveThemIfBootHasThemOn(boolean on, TestDatabase database, @TempDir Path folder) throws Exception {
        Path java = newJava()
                .orElse(null);
        assumeTrue(java != null, "no Java " + FIRST_WITH_THEM + " or later here, which has virtual threads");
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        String.valueOf(java),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName(),
                        database.url(),
                        String.valueOf(on))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly().onExit().join();
        }
        assertThat(Files.readString(output)).contains("projection: " + on, "reaction: " + on);
    }

    /** The application, in a JVM of its own. */
    public static final class Application {
        public static void main(String[] arguments) throws Exception {
            try (ConfigurableApplicationContext context = Applications.start(
                    arguments[0],
                    "none",
                    List.of("spring.threads.virtual.enabled=" + arguments[1]),
                    WithListeners.class)) {
                context.getBean(EventLog.class).appendNow(Draft.json("{}"));
                Listeners listeners = context.getBean(Listeners.class);
                System.out.println(listeners.seen.poll(60, TimeUnit.SECONDS));
                System.out.println(listeners.seen.poll(60, TimeUnit.SECONDS));
            }
        }
    }

    @Configuration
    static class WithListeners {
        @Bean
        Listeners tellingListeners() {
            return new Listeners();
        }
    }

    /** Say on which kind of thread they were called. */
    static class Listeners {
        private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

        @BatonListener(subscription = "projection")
        void project(Message message) throws ReflectiveOperationException {
            seen.add("projection: " + isVirtual());
        }

        @BatonListener(subscription = "reaction", reaction = true)
        void react(Message message) throws ReflectiveOperationException {
            seen.add("reaction: " + isVirtual());
        }

        private static @Nullable Object isVirtual() throws ReflectiveOperationException {
            return Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
        }
    }

    /** That of the build, or one that is installed beside it. */
    private static Optional<Path> newJava() throws IOException {
        Path own = Path.of(System.getProperty("java.home"));
        if (Runtime.version().feature() >= FIRST_WITH_THEM) {
            return Optional.of(own.resolve("bin/java"));
        }
        try (Stream<Path> others = Files.list(own.getParent())) {
            return others.filter(home -> featureOf(home) >= FIRST_WITH_THEM)
                    .map(home -> home.resolve("bin/java"))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }

    private static int featureOf(Path home) {
        Properties release = new Properties();
        try (var reader = Files.newBufferedReader(home.resolve("release"))) {
            release.load(reader);
            return Runtime.Version.parse(
                            release.getProperty("JAVA_VERSION", "").replace("\"", ""))
                    .feature();
        } catch (IOException | IllegalArgumentException noneOrAnOldOne) {
            return 0;
        }
    }
}
