package org.pgbaton;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Everything that a user of the libraries can see has a comment that begins with a description: types, methods, constructors, fields and
 * constants of enums. Overrides and what a record declares by itself need none. The compiler's doclint checks that comments are well
 * formed.
 */
class JavadocTest {
    private static final Pattern EXPORTS = Pattern.compile("(?m)^ *exports ([\\w.]+);");
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
            "spring",
            "spring-modulith",
            "spring-test",
            "testkit");

    @Test
    void everythingAUserSeesHasAComment() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module : MODULES) {
            files.addAll(apiFiles(module));
        }

        assertThat(uncommented(files)).isEmpty();
    }

    /** Those of exported packages; of a module without descriptor, those of the package with its name. */
    private static List<Path> apiFiles(String module) throws IOException {
        Path sources = Path.of("../baton-" + module + "/src/main/java");
        Path descriptor = sources.resolve("module-info.java");
        String exports = Files.exists(descriptor)
                ? Files.readString(descriptor)
                : "exports org.pgbaton." + module.replace('-', '.') + ";";
        Set<Path> exported = EXPORTS.matcher(exports)
                .results()
                .map(line -> sources.resolve(line.group(1).replace('.', '/')))
                .collect(Collectors.toSet());
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java") && exported.contains(file.getParent()))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> uncommented(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> found = new ArrayList<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            DocTrees docs = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new ApiScanner(docs, found).scan(unit, null);
            }
        }
        return found;
    }

    /** Visits types and members that a user sees, and notes those without a description. */
    private static final class ApiScanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final DocTrees docs;
        private final List<String> found;

        ApiScanner(DocTrees docs, List<String> found) {
            this.docs = docs;
            this.found = found;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
            if (!isVisible(type.getModifiers())) {
                return null;
            }
            check(type.getSimpleName().toString());
            for (Tree member : type.getMembers()) {
                scan(member, null);
            }
            return null;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
            if (isVisible(method.getModifiers()) && !isOverride(method) && !isWrittenByTheCompiler(method)) {
                check(method.getName().toString());
            }
            return null;
        }

        @Override
        public @Nullable Void visitVariable(VariableTree field, @Nullable Void unused) {
            if (isVisible(field.getModifiers())) {
                check(field.getName().toString());
            }
            return null;
        }

        private void check(String name) {
            DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
            if (comment == null || comment.getFullBody().isEmpty()) {
                CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
                long at = docs.getSourcePositions()
                        .getStartPosition(unit, getCurrentPath().getLeaf());
                found.add(
                        unit.getSourceFile().getName() + ":" + unit.getLineMap().getLineNumber(at) + " " + name);
            }
        }

        /** Members of interfaces are public without saying so. */
        private boolean isVisible(ModifiersTree modifiers) {
            Set<Modifier> flags = modifiers.getFlags();
            return flags.contains(Modifier.PUBLIC)
                    || flags.contains(Modifier.PROTECTED)
                    || (isInside(Tree.Kind.INTERFACE, Tree.Kind.ANNOTATION_TYPE) && !flags.contains(Modifier.PRIVATE));
        }

        private boolean isInside(Tree.Kind... kinds) {
            return List.of(kinds)
                    .contains(getCurrentPath().getParentPath().getLeaf().getKind());
        }

        private static boolean isOverride(MethodTree method) {
            return method.getModifiers().getAnnotations().stream()
                    .anyMatch(each -> each.getAnnotationType().toString().endsWith("Override"));
        }

        /** The constructor that nobody wrote has no place in the file. */
        private boolean isWrittenByTheCompiler(MethodTree method) {
            return docs.getSourcePositions().getEndPosition(getCurrentPath().getCompilationUnit(), method) < 0;
        }
    }
}
