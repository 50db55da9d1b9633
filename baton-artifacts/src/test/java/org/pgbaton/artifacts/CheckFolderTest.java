package org.pgbaton.artifacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A small publication without a fault has no problems; with any one fault it has a problem that names it. */
class CheckFolderTest {
    private static final String PARENT = """
            <project>
              <groupId>org.pgbaton</groupId><artifactId>baton-parent</artifactId><version>1.0</version><packaging>pom</packaging>
              <name>Parent</name><description>The parent</description><url>https://example.com</url>
              <licenses><license><name>Apache-2.0</name><url>https://example.com/license</url></license></licenses>
              <developers><developer><name>Somebody</name></developer></developers>
              <scm><connection>c</connection><developerConnection>d</developerConnection><url>u</url></scm>
              <properties><driver.version>${newest}</driver.version><newest>42</newest></properties>
              <modules><module>core</module><module>bom</module><module>proofs</module></modules>
            </project>
            """;
    private static final String BOM = PARENT.replace("baton-parent", "baton-bom")
            .replaceAll("<modules>.*</modules>", "")
            .replace("</project>", """
                      <dependencyManagement><dependencies><dependency>
                        <groupId>org.pgbaton</groupId><artifactId>baton-core</artifactId><version>${project.version}</version>
                      </dependency></dependencies></dependencyManagement>
                    </project>""");
    private static final String CORE = """
            <project>
              <parent><groupId>org.pgbaton</groupId><artifactId>baton-parent</artifactId><version>1.0</version></parent>
              <artifactId>baton-core</artifactId>
              <name>Core</name><description>The core</description>
              <dependencies><dependency>
                <groupId>org.postgresql</groupId><artifactId>postgresql</artifactId><version>${driver.version}</version>
              </dependency></dependencies>
            </project>
            """;
    private static final String PROOFS = CORE.replace("<artifactId>baton-core", "<artifactId>baton-proofs")
            .replace(
                    "<dependencies>",
                    "<properties><maven.deploy.skip>true</maven.deploy.skip></properties><dependencies>");

    @TempDir
    private Path folder;

    private Path checkout;
    private Path repository;

    @BeforeEach
    void aPublicationWithoutAFault() throws IOException {
        checkout = folder.resolve("checkout");
        write(checkout.resolve("pom.xml"), PARENT);
        write(checkout.resolve("core/pom.xml"), CORE);
        write(checkout.resolve("bom/pom.xml"), BOM);
        write(checkout.resolve("proofs/pom.xml"), PROOFS);
        repository = publish("repository");
    }

    @Test
    void aPublicationWithoutAFaultHasNoProblems() throws IOException {
        assertThat(problems(false)).isEmpty();
        assertThat(CheckFolder.run(List.of(checkout.toString(), repository.toString())))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "baton-core   | <name>Core</name>                 |                                     | baton-core: the POM has no name of its own",
                "baton-core   | <description>The core</description> |                                   | baton-core: the POM has no description of its own",
                "baton-parent | <url>https://example.com</url>    |                                     | baton-core: the POM has no url",
                "baton-parent | <name>Apache-2.0</name>           |                                     | baton-core: the POM has no licenses/license/name",
                "baton-parent | <url>https://example.com/license</url> |                                | baton-core: the POM has no licenses/license/url",
                "baton-parent | <name>Somebody</name>             |                                     | baton-core: the POM has no developers/developer/name",
                "baton-parent | <connection>c</connection>        |                                     | baton-core: the POM has no scm/connection",
                "baton-parent | <developerConnection>d</developerConnection> |                          | baton-core: the POM has no scm/developerConnection",
                "baton-parent | <url>u</url>                      |                                     | baton-core: the POM has no scm/url",
                "baton-bom    | <url>u</url>                      |                                     | baton-bom: the POM has no scm/url",
                "baton-parent | <driver.version>${newest}</driver.version> |                                   | baton-core: the dependency org.postgresql:postgresql has the version ${driver.version}, which is nowhere resolved",
                "baton-parent | <newest>42                        | <newest>42-SNAPSHOT                 | baton-core: the dependency org.postgresql:postgresql is a snapshot, 42-SNAPSHOT",
                "baton-core   | ${driver.version}                 | [42,)                               | baton-core: the dependency org.postgresql:postgresql has no exact version but [42,)",
                "baton-core   | <artifactId>postgresql            | <scope>system</scope><artifactId>postgresql | baton-core: the dependency org.postgresql:postgresql is a file of the machine that builds",
                "baton-core   | <artifactId>postgresql            | <artifactId>postgresql-${platform}  | baton-core: the dependency org.postgresql:postgresql-${platform} has a placeholder that is nowhere resolved",
                "baton-core   | <groupId>org.postgresql           | <groupId>org.pgbaton                | baton-core: the dependency org.pgbaton:postgresql is not published",
                "baton-core   | <dependencies>                    | <repositories><repository/></repositories><dependencies> | baton-core: the POM names a repository",
                "baton-core   | <dependencies>                    | <build><plugins><plugin><artifactId>p</artifactId><version>1-SNAPSHOT</version></plugin></plugins></build><dependencies> | baton-core: the plugin p is a snapshot, 1-SNAPSHOT",
                "baton-bom    | <artifactId>baton-core            | <artifactId>baton-kern              | baton-bom: baton-core is published, and the BOM does not name it",
                "baton-bom    | <artifactId>baton-core            | <artifactId>baton-kern              | baton-bom: the BOM names baton-kern, which is not published",
            })
    void aPomWithAFaultIsNamed(String artifact, String text, String instead, String problem) throws IOException {
        Path pom = repository.resolve("org/pgbaton/" + artifact + "/1.0/" + artifact + "-1.0.pom");
        String before = Files.readString(pom);
        assertThat(before).contains(text);
        write(pom, before.replace(text, instead == null ? "" : instead));
        checksums(pom);

        assertThat(problems(false)).contains(problem);
    }

    @ParameterizedTest
    @CsvSource({".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json"})
    void aFileThatIsMissingIsNamed(String ending) throws IOException {
        Files.delete(core(ending));

        assertThat(problems(false)).containsExactly("baton-core: there is no baton-core-1.0" + ending);
    }

    @Test
    void anEmptyJarIsNamed() throws IOException {
        jar(core("-sources.jar"), 0, "README");
        checksums(core("-sources.jar"));

        assertThat(problems(false)).containsExactly("baton-core-1.0-sources.jar contains no .java");
    }

    @Test
    void checksumsMustBeThereAndRight() throws IOException {
        Files.delete(core(".jar.sha1"));
        write(core("-sources.jar.md5"), "0123");

        assertThat(problems(false))
                .containsExactlyInAnyOrder(
                        "baton-core-1.0.jar has no .sha1",
                        "baton-core-1.0-sources.jar is another file than its .md5 is of");
    }

    @Test
    void everyFileNeedsASignatureIfAskedFor() throws IOException {
        assertThat(problems(true)).hasSize(7).contains("baton-core-1.0.pom has no signature");
    }

    @Test
    void aModuleThatIsMissingOrNotForUsersIsNamed() throws IOException {
        Path proofs = repository.resolve("org/pgbaton/baton-proofs/1.0/baton-proofs-1.0.pom");
        write(proofs, PROOFS.replace("</artifactId>\n  <name>", "</artifactId><packaging>pom</packaging>\n  <name>"));
        checksums(proofs);
        try (var files = Files.list(repository.resolve("org/pgbaton/baton-bom/1.0"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }

        assertThat(problems(false))
                .containsExactlyInAnyOrder(
                        "baton-bom is a module for users, and was not deployed",
                        "baton-proofs is not for users, and was deployed");
    }

    @Test
    void anEarlierVersionInTheSameFolderDoesNotMatter() throws IOException {
        write(repository.resolve("org/pgbaton/baton-core/0.9/baton-core-0.9.pom"), "<project/>");

        assertThat(problems(false)).isEmpty();
    }

    @Test
    void twoBuildsWithTheSameBytesAreTheSame() throws IOException {
        assertThat(differences(publish("other"))).isEmpty();
    }

    @Test
    void aJarWithAnotherContentOrTimeIsNamed() throws IOException {
        Path other = publish("other");
        jar(other.resolve("org/pgbaton/baton-core/1.0/baton-core-1.0.jar"), 0, "META-INF/MANIFEST.MF", "B.class");
        jar(other.resolve("org/pgbaton/baton-core/1.0/baton-core-1.0-sources.jar"), 90_000_000, "A.java");
        Files.delete(other.resolve("org/pgbaton/baton-core/1.0/baton-core-1.0-javadoc.jar"));

        assertThat(differences(other))
                .containsExactlyInAnyOrder(
                        "org/pgbaton/baton-core/1.0/baton-core-1.0-javadoc.jar is only in " + repository,
                        "org/pgbaton/baton-core/1.0/baton-core-1.0-sources.jar differs between the two builds: the order or the times of its entries",
                        "org/pgbaton/baton-core/1.0/baton-core-1.0.jar differs between the two builds: [A.class, B.class]");
    }

    @Test
    void aSnapshotsBuildNumberMakesNoDifference() throws IOException {
        Path one = folder.resolve("one/org/pgbaton/baton-core/1.0-SNAPSHOT");
        Path two = folder.resolve("two/org/pgbaton/baton-core/1.0-SNAPSHOT");
        write(one.resolve("baton-core-1.0-20260101.100000-1.pom"), CORE);
        write(two.resolve("baton-core-1.0-20260101.100107-1.pom"), CORE);

        assertThat(Comparison.problems(
                        Repository.read(folder.resolve("one"), "1.0-SNAPSHOT"),
                        Repository.read(folder.resolve("two"), "1.0-SNAPSHOT")))
                .isEmpty();
    }

    @Test
    void aWrongCallSaysHowToCall() {
        assertThat(CheckFolder.run(List.of())).isEqualTo(64);
        assertThat(CheckFolder.run(List.of(checkout.toString(), "/nowhere"))).isEqualTo(64);
    }

    private List<String> problems(boolean signed) throws IOException {
        return CheckFolder.problems(Modules.of(checkout), Repository.read(repository, "1.0"), signed);
    }

    private List<String> differences(Path other) throws IOException {
        return Comparison.problems(Repository.read(repository, "1.0"), Repository.read(other, "1.0"));
    }

    private Path core(String ending) {
        return repository.resolve("org/pgbaton/baton-core/1.0/baton-core-1.0" + ending);
    }

    private Path publish(String name) throws IOException {
        Path root = folder.resolve(name).resolve("org/pgbaton");
        write(root.resolve("baton-parent/1.0/baton-parent-1.0.pom"), PARENT);
        write(root.resolve("baton-bom/1.0/baton-bom-1.0.pom"), BOM);
        Path core = root.resolve("baton-core/1.0");
        write(core.resolve("baton-core-1.0.pom"), CORE);
        jar(core.resolve("baton-core-1.0.jar"), 0, "META-INF/MANIFEST.MF", "A.class");
        jar(core.resolve("baton-core-1.0-sources.jar"), 0, "A.java");
        jar(core.resolve("baton-core-1.0-javadoc.jar"), 0, "index.html");
        write(core.resolve("baton-core-1.0-cyclonedx.json"), "{}");
        try (var files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                checksums(file);
            }
        }
        return folder.resolve(name);
    }

    private static void checksums(Path file) throws IOException {
        write(file.resolveSibling(file.getFileName() + ".md5"), FileRules.digest(file, "MD5"));
        write(file.resolveSibling(file.getFileName() + ".sha1"), FileRules.digest(file, "SHA-1"));
    }

    private static void jar(Path file, long millis, String... names) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        try (var jar = new JarOutputStream(Files.newOutputStream(file))) {
            for (String name : names) {
                ZipEntry entry = new ZipEntry(name);
                entry.setLastModifiedTime(FileTime.from(Instant.ofEpochMilli(1_700_000_000_000L + millis)));
                jar.putNextEntry(entry);
                jar.closeEntry();
            }
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }
}
