package org.pgbaton.proofs.operating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The server's bill of materials (target/bom.json, CycloneDX) names every jar of the server, and nothing else. */
class BillOfMaterialsTest {
    private static final Path SERVER = Path.of("..", "baton-server", "target");
    private static final Pattern COMPONENT =
            Pattern.compile("\"purl\" : \"pkg:maven/[^/]+/([^@/]+)@([^?]+)\\?type=jar\"");

    @Test
    void everyJarIsNamedAndNothingElse() throws Exception {
        assumeTrue(Files.exists(SERVER.resolve("bom.json")), "baton-server is not packaged, or was without a network");
        Set<String> named = COMPONENT
                .matcher(Files.readString(SERVER.resolve("bom.json")))
                .results()
                .map(found -> found.group(1) + "-" + found.group(2) + ".jar")
                .collect(Collectors.toSet());
        try (Stream<Path> jars = Files.list(SERVER.resolve("lib"))) {
            assertThat(named)
                    .containsAll(jars.map(jar -> jar.getFileName().toString()).toList());
        }
        try (Stream<Path> jars = Files.list(SERVER.resolve("lib"))) {
            named.removeAll(jars.map(jar -> jar.getFileName().toString()).toList());
        }
        assertThat(named).singleElement().asString().startsWith("baton-server-");
    }
}
