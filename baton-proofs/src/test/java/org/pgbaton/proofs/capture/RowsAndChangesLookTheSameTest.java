package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** The message for an existing row that is read looks the same as the message for an inserted row. */
@BatonTest
class RowsAndChangesLookTheSameTest {
    @Test
    void withValuesOfEveryType(TestDatabase database) throws Exception {
        List<String> columns = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (int i = 0; i < DecodedTypesTest.VALUES.length; i++) {
            columns.add("c" + i + " " + DecodedTypesTest.VALUES[i][0]);
            values.add(DecodedTypesTest.VALUES[i][1]);
        }
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            DecodedTypesTest.types(statement);
        }
        database.execute("CREATE TABLE everything (id integer PRIMARY KEY, " + String.join(", ", columns)
                + ", sum integer GENERATED ALWAYS AS (id * 2) STORED)");
        String insert = "INSERT INTO everything VALUES (%d, " + String.join(", ", values) + ")";
        database.execute(insert.formatted(1));
        try (Baton baton = database.baton()) {
            baton.capture("rl_all").table("everything").existingRows().start();
            CapturedLog log = new CapturedLog(database, "rl_all").awaitCount(1);
            database.execute(insert.formatted(2));
            log.awaitCount(2);
            List<String> rows = log.column(
                    "SELECT e.key || ' ' || e.value FROM baton.rl_all l, json_each(l.payload -> 'after') e WHERE l.key = '1' ORDER BY e.key");
            assertThat(rows)
                    .hasSize(1 + DecodedTypesTest.VALUES.length)
                    .as("the stream leaves out generated columns, and so do we")
                    .noneMatch(row -> row.startsWith("sum"));
            assertThat(after(log, "2")).isEqualTo(after(log, "1").replace("{\"id\":1,", "{\"id\":2,"));
        }
    }

    private static String after(CapturedLog log, String key) throws Exception {
        return log.column("SELECT payload ->> 'after' FROM baton.rl_all WHERE key = '" + key + "'")
                .get(0);
    }

    @Test
    void withGeneratedColumnsIfThePublicationSendsThem(TestDatabase database) throws Exception {
        assumeTrue(
                database.server().postgres().majorVersion() >= 18,
                "generated columns are published from PostgreSQL 18 on");
        database.execute(
                "CREATE TABLE alert (id integer PRIMARY KEY, twice integer GENERATED ALWAYS AS (id * 2) STORED); "
                        + "INSERT INTO alert VALUES (1); "
                        + "CREATE PUBLICATION theirs FOR TABLE alert WITH (publish_generated_columns = stored)");
        try (Baton baton = database.baton()) {
            baton.capture("rl_all")
                    .table("alert")
                    .operations(CapturedOperation.INSERT)
                    .publication("theirs")
                    .existingRows()
                    .start();
            CapturedLog log = new CapturedLog(database, "rl_all").awaitCount(1);
            database.execute("INSERT INTO alert VALUES (2)");
            log.awaitCount(2);
            assertThat(after(log, "1")).isEqualTo("{\"id\":1,\"twice\":2}");
            assertThat(after(log, "2")).isEqualTo("{\"id\":2,\"twice\":4}");
        }
    }
}
