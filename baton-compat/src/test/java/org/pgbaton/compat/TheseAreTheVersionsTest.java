package org.pgbaton.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/**
 * The libraries here have the versions of Spring Boot's list. Otherwise the other tests of this module would show
 * nothing.
 */
class TheseAreTheVersionsTest {
    /** The properties of Spring Boot's list, each with a class of the library whose version it is. */
    private static final Map<String, String> CLASSES = classes();

    private static Map<String, String> classes() {
        Map<String, String> classes = new LinkedHashMap<>();
        classes.put("assertj", "org.assertj.core.api.Assertions");
        classes.put("awaitility", "org.awaitility.Awaitility");
        classes.put("hikaricp", "com.zaxxer.hikari.HikariDataSource");
        classes.put("junit-jupiter", "org.junit.jupiter.api.extension.ExtensionContext");
        classes.put("kafka", "org.apache.kafka.clients.producer.KafkaProducer");
        classes.put("logback", "ch.qos.logback.classic.Logger");
        classes.put("micrometer", "io.micrometer.core.instrument.MeterRegistry");
        classes.put("postgresql", "org.postgresql.Driver");
        classes.put("rabbit-amqp-client", "com.rabbitmq.client.ConnectionFactory");
        classes.put("slf4j", "org.slf4j.Logger");
        classes.put("spring-framework", "org.springframework.jdbc.core.JdbcTemplate");
        return classes;
    }

    @Test
    void everyLibraryHasTheVersionThatSpringBootManages() throws Exception {
        Document managed = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("target", "managed", "spring-boot-dependencies.pom").toFile());
        Map<String, String> wanted = new LinkedHashMap<>();
        Map<String, String> here = new LinkedHashMap<>();
        for (Map.Entry<String, String> each : CLASSES.entrySet()) {
            String version = managed.getElementsByTagName(each.getKey() + ".version")
                    .item(0)
                    .getTextContent();
            String jar = Class.forName(each.getValue())
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath();
            wanted.put(each.getKey(), version);
            here.put(each.getKey(), jar.endsWith("-" + version + ".jar") ? version : jar);
        }
        assertThat(here).isEqualTo(wanted);
    }
}
