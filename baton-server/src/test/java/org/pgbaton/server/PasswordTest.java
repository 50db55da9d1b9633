package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.PostgresServer;

/** A server that wants a password gets it from the URL or from a file; a wrong one is named, but never shown. */
class PasswordTest {
    @TempDir
    private static Path folder;

    private static PostgresServer server;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresServer.in(folder.resolve("server"))
                .accessRule("host all guarded 127.0.0.1/32 scram-sha-256")
                .build()
                .start();
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE guarded LOGIN PASSWORD 's3cret'");
            statement.execute("GRANT CREATE ON DATABASE postgres TO guarded");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aWrongPasswordIsAMatterOfConfiguration() {
        Cli.Ended ended = Cli.baton("lead", "x", "--", "true")
                .on(url(":wr0ng"))
                .run()
                .complains(78, "password authentication failed for user \"guarded\". Check user and password");

        assertThat(ended.err()).doesNotContain("wr0ng");
    }

    @Test
    void aMissingPasswordIsAMatterOfConfiguration() {
        Cli.baton("lead", "x", "--", "true")
                .on(url(""))
                .run()
                .complains(78, "no password was provided. Check user and");
    }

    @Test
    void thePasswordMayBeInAFile() throws IOException {
        Path file = Files.writeString(folder.resolve("password"), "s3cret\n");

        Cli.baton("lead", "x", "--password-file", file.toString(), "--", "true")
                .on(url(""))
                .run()
                .succeeds();
    }

    @Test
    void onTheCommandLineItIsTakenWithAWarningThatDoesNotRepeatIt() {
        Cli.Ended ended = Cli.baton("lead", "warned", "--database-url", url(":s3cret"), "--", "true")
                .run()
                .succeeds();

        assertThat(ended.err())
                .isEqualTo(
                        "baton: The password in --database-url can be read by everybody on this machine, with 'ps'; give the URL in "
                                + "BATON_DATABASE_URL or --database-url-file, or the password in --password-file or ~/.pgpass.\n");
    }

    @Test
    void theWholeUrlMayBeInAFile() throws IOException {
        Path file = Files.writeString(folder.resolve("url"), url(":s3cret") + "\n");

        for (Cli.Run run : List.of(
                Cli.baton("lead", "whole", "--database-url-file", file.toString(), "--", "true"),
                Cli.baton("lead", "whole", "--", "true").with("BATON_DATABASE_URL_FILE", file.toString()),
                Cli.baton("lead", "whole", "--", "true").on(url(":s3cret")))) {
            assertThat(run.run().succeeds().err()).isEmpty();
        }
        Cli.baton("status", "--database-url-file", folder.resolve("none").toString())
                .run()
                .complains(64, "with the database URL cannot be read");
        Cli.baton("status", "--database-url-file", file.toString(), "--database-url", url(""))
                .run()
                .complains(64, "--database-url and --database-url-file both name a database; give one of them.");
    }

    @Test
    void thePasswordMayBeWherePsqlLooksForIt() throws IOException {
        Path file = Files.writeString(folder.resolve(".pgpass"), "*:*:*:guarded:s3cret\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));

        Cli.baton("lead", "like-psql", "--", "true")
                .withJavaOption("-Duser.home=" + folder)
                .on(url(""))
                .run()
                .succeeds();
    }

    @Test
    void thePasswordIsNeverShown() {
        Cli.Ended doctor = Cli.baton("doctor").on(url(":s3cret")).run();

        assertThat(doctor.out()).startsWith("postgres://guarded@127.0.0.1:").doesNotContain("s3cret");
    }

    private static String url(String password) {
        return "postgres://guarded" + password + "@127.0.0.1:" + server.port() + "/postgres";
    }
}
