package org.pgbaton.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgbaton.Fuzz;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/** Whatever is given as a database URL either leads the driver where it says, or is refused in a sentence. */
class AnyDatabaseUrlIsParsedOrRefusedTest {
    /** A seed that found something stays; the input is a test of {@link DatabaseUrlTest}. */
    private static final List<Long> SEEDS = List.of(
            1L, // a slash in the host, which the driver took for the end of it; a sentence as long as the URL
            2L, 3L, 4L);

    private static final List<String> VALID = List.of(
            "postgres://app:secret@db.example.com:5433/shop",
            "postgresql://app@a,b:5433,[::1]:6000/shop?sslmode=require&connect_timeout=3",
            "jdbc:postgresql://db.example.com:5433/shop?user=app&password=s%40%3Fcret&ApplicationName=x",
            "jdbc:postgresql:shop",
            "postgres:///?host=db&port=5433&dbname=shop&user=app&target_session_attrs=read-write&keepalives=1",
            "postgres://[2001:db8::1%25eth0]:5432/Gesch%C3%A4ft",
            "postgres://");
    private static final List<String> PARTS = List.of(
            "://",
            "/",
            "//",
            "?",
            "&",
            "=",
            "@",
            ":",
            ",",
            "%",
            "%00",
            "%2F",
            "%ff",
            "[",
            "]",
            "::",
            "..",
            "#",
            "+",
            " ",
            "\n",
            "\0",
            "\u202e",
            "\ufeff",
            "é",
            "😀",
            "0",
            "-1",
            "65535",
            "65536",
            "99999999999",
            "host=",
            "port=",
            "user=",
            "dbname=",
            "target_session_attrs=any",
            "service=x",
            "jdbc:postgresql://");

    @Test
    void inputsOfSeeds() throws Exception {
        for (long seed : SEEDS) {
            run(seed, 4_000);
        }
        run(Fuzz.freshSeed(), 4_000);
    }

    @Test
    @Tag("heavy")
    void aMillionInputs() throws Exception {
        run(Fuzz.freshSeed(), 1_000_000);
    }

    private static void run(long seed, int inputs) throws Exception {
        int parsed = Fuzz.run(seed, inputs, VALID, PARTS, AnyDatabaseUrlIsParsedOrRefusedTest::isParsed);
        assertThat(parsed).isBetween(inputs / 20, inputs - inputs / 20);
    }

    private static boolean isParsed(String input) throws Exception {
        DatabaseUrl url;
        try {
            url = DatabaseUrl.parse(input, Map.of());
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getClass()).isEqualTo(IllegalArgumentException.class);
            assertThat(refused.getMessage()).matches("\\P{Cntrl}+\\.").hasSizeLessThan(250);
            return false;
        }
        Properties driver = Driver.parseURL(url.jdbcUrl(), url.connectionProperties());
        assertThat(driver).as("what the driver makes of %s", url.jdbcUrl()).isNotNull();
        assertThat(PGProperty.PG_DBNAME.getOrDefault(driver)).isEqualTo(url.database());
        assertThat(PGProperty.USER.getOrDefault(driver)).isEqualTo(url.user());
        String[] hosts = PGProperty.PG_HOST.getOrDefault(driver).split(",", -1);
        String[] ports = PGProperty.PG_PORT.getOrDefault(driver).split(",", -1);
        assertThat(ports).hasSameSizeAs(hosts);
        StringBuilder both = new StringBuilder();
        for (int i = 0; i < hosts.length; i++) {
            both.append(i == 0 ? "" : ",").append(hosts[i]).append(':').append(ports[i]);
        }
        assertThat(both).hasToString(url.hosts());
        return true;
    }
}
