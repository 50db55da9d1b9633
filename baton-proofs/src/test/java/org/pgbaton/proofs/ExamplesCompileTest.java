package org.pgbaton.proofs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
 * Every example of the README, of docs and of the library's Javadoc compiles, with the imports and names of docs/examples.md.
 * Three dots in braces stand for any code.
 */
class ExamplesCompileTest {
    private static final Path ROOT = Path.of("..");
    private static final String PREAMBLE = "docs/examples.md";
    private static final Pattern IN_MARKDOWN = Pattern.compile("(?ms)^```java\n(.*?)^```");
    private static final Pattern IN_JAVADOC = Pattern.compile("(?s)<pre>\\{@code\n(.*?)\\}</pre>");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;\n");
    private static final Pattern TYPE =
            Pattern.compile("(?s)(@\\w+\\s+)*((public|abstract|final) )*(class|interface|record|enum) .*");
    private static final Pattern MEMBER = Pattern.compile("(?s)(@Test|static |public static |@Override).*");
    private static final Pattern ANY_CODE = Pattern.compile("\\{\\s*…\\s*\\}");
    private static final List<String> MODULES = List.of(
            "core",
            "embedded",
            "http",
            "jackson2",
            "jackson3",
            "kafka",
            "mail",
            "micrometer",
            "nats",
            "publishing",
            "rabbitmq",
            "schedule",
            "testkit");

    @Test
    void theyCompile(@TempDir Path out) throws IOException {
        Map<String, String> examples = examples();
        assertThat(examples).hasSizeGreaterThan(60);

        assertThat(errors(examples, out)).isEmpty();
    }

    @Test
    void anExampleThatIsWrongIsFound(@TempDir Path out) throws IOException {
        Map<String, String> examples = new LinkedHashMap<>(Map.of("a page:1", "baton.leadershp(\"x\");\n"));
        examples.put("a page:2", "class Handler implements Reaction {}\n");
        examples.put("a page:3", "baton.log(\"events\").append(connection, deposited);\n");

        assertThat(errors(examples, out))
                .satisfiesExactlyInAnyOrder(
                        error -> assertThat(error).startsWith("a page:1: cannot find symbol"),
                        error -> assertThat(error).startsWith("a page:2: ").contains("is not abstract"));
    }

    /** By file and line. */
    private static Map<String, String> examples() throws IOException {
        Map<String, String> examples = new LinkedHashMap<>();
        List<Path> pages = new ArrayList<>(files(ROOT.resolve("docs"), ".md"));
        pages.add(ROOT.resolve("README.md"));
        pages.remove(ROOT.resolve(PREAMBLE));
        // Those that need Spring are compiled by the tests of the starters.
        pages.removeIf(page -> page.getFileName().toString().startsWith("spring"));
        for (Path page : pages) {
            collect(page, IN_MARKDOWN, examples);
        }
        for (String module : MODULES) {
            for (Path source : files(ROOT.resolve("baton-" + module + "/src/main/java"), ".java")) {
                collect(source, IN_JAVADOC, examples);
            }
        }
        examples.values().removeIf(example -> example.contains("@Transactional"));
        return examples;
    }

    private static void collect(Path file, Pattern pattern, Map<String, String> into) throws IOException {
        String text = Files.readString(file);
        for (MatchResult block : pattern.matcher(text).results().toList()) {
            long line = text.substring(0, block.start()).lines().count();
            into.put(ROOT.relativize(file) + ":" + line, block.group(1).replaceAll("(?m)^ *\\* ?", ""));
        }
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    /** What the compiler says, each with the example's place. */
    private static List<String> errors(Map<String, String> examples, Path out) throws IOException {
        String preamble = IN_MARKDOWN
                .matcher(Files.readString(ROOT.resolve(PREAMBLE)))
                .results()
                .map(block -> block.group(1))
                .findFirst()
                .orElseThrow();
        List<JavaFileObject> sources = new ArrayList<>();
        examples.forEach((place, example) -> {
            String name = "example" + sources.size();
            sources.add(new Source(name, place, "package " + name + ";\n" + asFile(preamble, example)));
        });
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
                .map(each -> (each.getSource() instanceof Source source ? source.place : "") + ": "
                        + each.getMessage(Locale.ROOT))
                .toList();
    }

    /** The example as types, as members of a class, or as statements; and behind it what it assumes. */
    private static String asFile(String preamble, String example) {
        return imports(preamble) + imports(example) + asType(withoutImports(example)) + withoutImports(preamble);
    }

    private static String asType(String example) {
        String complete = ANY_CODE.matcher(example).replaceAll("{ throw new UnsupportedOperationException(); }");
        if (TYPE.matcher(complete).matches()) {
            return complete.replaceAll("(?m)^public class", "class");
        }
        String members = MEMBER.matcher(complete).matches()
                ? complete
                : "void example() throws Exception {\n" + complete + "\n}";
        return "abstract class Example extends YourApplication {\n" + members + "\n}\n";
    }

    private static String imports(String text) {
        return IMPORT.matcher(text).results().map(MatchResult::group).collect(Collectors.joining());
    }

    private static String withoutImports(String text) {
        return IMPORT.matcher(text).replaceAll("").strip();
    }

    /** One file of the compiler's input. */
    private static final class Source extends SimpleJavaFileObject {
        private final String place;
        private final String text;

        Source(String name, String place, String text) {
            super(URI.create("string:///" + name + "/Example.java"), Kind.SOURCE);
            this.place = place;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
