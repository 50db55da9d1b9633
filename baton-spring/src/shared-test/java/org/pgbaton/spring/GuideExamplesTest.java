package org.pgbaton.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of docs/spring.md, of other pages whose name begins like that, and that of the README compile with this Spring Boot. Those of a
 * page see each other.
 */
class GuideExamplesTest {
    private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```java\n(.*?)^```");
    private static final String IMPORTS = """
            import static org.assertj.core.api.Assertions.assertThat;
            import java.util.*;
            import org.junit.jupiter.api.Test;
            import org.pgbaton.kafka.*;
            import org.pgbaton.log.*;
            import org.pgbaton.spring.*;
            import org.pgbaton.spring.test.*;
            import org.pgbaton.subscription.*;
            import org.pgbaton.typed.*;
            import org.springframework.beans.factory.annotation.Autowired;
            import org.springframework.boot.ApplicationRunner;
            import org.springframework.context.ApplicationEventPublisher;
            import org.springframework.context.annotation.*;
            import org.springframework.jdbc.core.simple.JdbcClient;
            import org.springframework.modulith.events.*;
            import org.springframework.scheduling.annotation.Scheduled;
            import org.springframework.security.config.Customizer;
            import org.springframework.security.config.annotation.web.builders.HttpSecurity;
            import org.springframework.security.web.SecurityFilterChain;
            import org.springframework.stereotype.*;
            import org.springframework.transaction.annotation.Transactional;
            """;

    @Test
    void theyCompile(@TempDir Path out) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (Path page : pages()) {
            String name = page.getFileName().toString().replaceAll("\\W", "_");
            for (MatchResult block : EXAMPLE.matcher(Files.readString(page)).results().toList()) {
                sources.add(new Source(name + sources.size(), "package " + name + ";\n" + IMPORTS + block.group(1)));
            }
        }
        assertThat(sources).hasSizeGreaterThan(4);
        sources.add(readme());
        assertThat(errors(sources, out)).isEmpty();
    }

    /** Its example consists of methods. */
    private static JavaFileObject readme() throws IOException {
        String methods = EXAMPLE.matcher(Files.readString(Path.of("..", "README.md")))
                .results()
                .map(block -> block.group(1))
                .filter(block -> block.contains("@Transactional"))
                .findFirst()
                .orElseThrow()
                .replace("{ … }", "{}");
        return new Source(
                "Readme",
                "package readme;\n" + IMPORTS + "class Readme { JdbcClient jdbc; Outbox outbox;\n"
                        + "record OrderPlaced(String id, int total) {}\n" + methods + "}\n");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> pages = Files.list(Path.of("..", "docs"))) {
            return pages.filter(page -> page.getFileName().toString().matches("spring.*\\.md"))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> errors(List<JavaFileObject> sources, Path out) throws IOException {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, Locale.ROOT, null)) {
            compiler.getTask(
                            null,
                            files,
                            found,
                            List.of("-proc:none", "-d", out.toString(), "-cp", System.getProperty("java.class.path")),
                            null,
                            sources)
                    .call();
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> each.getMessage(Locale.ROOT))
                .toList();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
