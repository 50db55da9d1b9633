package org.pgbaton.proofs.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.Fault;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.schema.Migration;
import org.pgbaton.schema.SchemaException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** Migrations, other schemas, other versions, and the roles. */
@BatonTest
class SchemaTest {
    private static final int STEPS = Migration.all().size();
    private static final int NEWEST = Migration.all().get(STEPS - 1).number();

    /** Opens a Baton, which migrates, and says so. */
    static final class Migrating {
        public static void main(String[] arguments) throws Exception {
            System.out.println("READY");
            System.in.read();
            Baton.builder(arguments[0]).schema("fresh").open().close();
            System.out.println("OPENED");
        }
    }

    @Test
    void eightProcessesThatStartAtOnceMigrateOnce(TestDatabase database) throws Exception {
        List<JavaProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                processes.add(JavaProcess.start(Migrating.class, database.url()));
            }
            for (JavaProcess process : processes) {
                process.await("READY", Duration.ofSeconds(60));
            }
            for (JavaProcess process : processes) {
                process.say("go");
            }
            for (JavaProcess process : processes) {
                process.await("OPENED", Duration.ofSeconds(60));
            }
        } finally {
            processes.forEach(JavaProcess::close);
        }
        assertThat(database.one("SELECT count(*) FROM fresh.migration")).isEqualTo(Integer.toString(STEPS));
    }

    @Test
    void twoSchemasOfOneDatabaseAreIndependent(TestDatabase database) throws Exception {
        try (Baton one = Baton.builder(database.url()).schema("one").open();
                Baton two = Baton.builder(database.url()).schema("Two_2").open()) {
            assertThat(one.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
            assertThat(two.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
            assertThat(one.leaderStatus()).hasSize(1);
        }
    }

    @Test
    void twoDatabasesOfOneServerAreIndependentInOneJvm(TestDatabase one, TestDatabase two) throws Exception {
        try (Baton first = one.baton("me");
                Baton second = two.baton("me")) {
            assertThat(first.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
            assertThat(second.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
            assertThat(second.leaderStatus().get(0).holder()).isEqualTo("me");
        }
    }

    @Test
    void withMigrationSwitchedOffAMissingSchemaIsASentence(TestDatabase database) throws Exception {
        Baton.Builder builder = Baton.builder(database.url()).schema("absent").migrate(false);
        assertThatThrownBy(builder::open)
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("run 'baton migrate'")
                .hasMessageContaining("--print-sql");
        assertThat(builder.migrations().pending()).hasSize(STEPS);
        assertThat(database.one("SELECT to_regnamespace('absent')")).isEqualTo("null");
    }

    @Test
    void aNewerSchemaIsFineUnlessItSaysThatItIsNot(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.migration (number, name, compatible_from) VALUES (" + (NEWEST + 1)
                + ", 'later', 1)");
        try (Baton baton = database.baton()) {
            assertThat(baton.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
        }
        database.execute("UPDATE baton.migration SET compatible_from = number WHERE name = 'later'");
        assertThatThrownBy(database::baton)
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("use a newer Baton");
    }

    @Test
    void anOlderSchemaIsRefusedWithMigrationSwitchedOff(TestDatabase database) throws Exception {
        database.execute("DELETE FROM baton.migration WHERE number = " + NEWEST);
        assertThatThrownBy(() -> Baton.builder(database.url()).migrate(false).open())
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("run 'baton migrate' of this version first");
    }

    @Test
    void theScriptForOtherToolsGivesTheSameSchema(TestDatabase database) throws Exception {
        database.execute(Baton.schemaScript(new SchemaName("by_hand")));
        try (Baton baton =
                Baton.builder(database.url()).schema("by_hand").migrate(false).open()) {
            assertThat(baton.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
        }
    }

    @Test
    void theRolesCanDoTheirJobAndNoMore(TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
        database.execute(Baton.rolesScript(SchemaName.DEFAULT)); // again, as after the next migration
        database.execute("""
                CREATE ROLE o LOGIN IN ROLE baton_owner;
                CREATE ROLE w LOGIN IN ROLE baton_worker;
                CREATE ROLE r LOGIN IN ROLE baton_read;
                CREATE ROLE a LOGIN IN ROLE baton_append;
                CREATE ROLE stranger LOGIN""");
        try (Baton worker = Baton.open(database.urlFor("w"));
                Baton reader = Baton.open(database.urlFor("r"));
                Connection append = connect(database, "a")) {
            long epoch = worker.leadership("job").lead().epoch();
            assertThat(reader.leaderStatus().get(0).epoch()).isEqualTo(epoch);
            assertThatThrownBy(() -> reader.leadership("other").tryLead())
                    .isInstanceOfSatisfying(
                            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NO_PRIVILEGE))
                    .hasMessageContaining("--print-roles");
            assertThatThrownBy(() -> append.createStatement().execute("SELECT baton.guard('job', " + epoch + ")"))
                    .hasMessageContaining("permission denied");
            assertThatThrownBy(() -> append.createStatement().execute("UPDATE baton.leadership SET epoch = 0"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("permission denied");
            assertThat(Baton.builder(database.urlFor("o")).migrations().pending())
                    .isEmpty();
            try (Connection owner = connect(database, "o")) {
                owner.createStatement()
                        .execute("ALTER TABLE baton.leadership ADD COLUMN by_the_next_migration integer");
            }
            assertThatThrownBy(() -> Baton.open(database.urlFor("stranger")))
                    .isInstanceOf(DatabaseException.class)
                    .hasMessageContaining("permission denied");
        } finally {
            database.execute("DROP OWNED BY o, w, r, a, stranger; DROP ROLE o, w, r, a, stranger");
        }
    }

    private static Connection connect(TestDatabase database, String user) throws SQLException {
        return DatabaseUrl.parse(database.urlFor(user)).connector().connect();
    }
}
