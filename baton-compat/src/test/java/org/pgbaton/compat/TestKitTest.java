package org.pgbaton.compat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** The test kit gives each test a database of its own, and drops it afterwards, with any version of JUnit. */
@BatonTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TestKitTest {
    private static String ofTheFirstTest = "";

    private String before = "";

    @BeforeEach
    void whatComesBeforeATestGetsTheTestsOwn(TestDatabase database) {
        before = database.name();
    }

    @Test
    @Order(1)
    void eachParameterIsADatabaseWithBatonInIt(TestDatabase one, TestDatabase two) throws Exception {
        assertThat(one.name()).isEqualTo(before).isNotEqualTo(two.name());
        try (Baton baton = two.baton()) {
            assertThat(baton.leadership("reports").tryLead().term()).isPresent();
        }
        ofTheFirstTest = one.name();
        assertThat(exists(ofTheFirstTest)).isTrue();
    }

    @Test
    @Order(2)
    void itIsGoneWhenTheTestIsOver(TestDatabase database) throws Exception {
        assertThat(database.name()).isNotEqualTo(ofTheFirstTest);
        assertThat(exists(ofTheFirstTest)).isFalse();
    }

    private static boolean exists(String name) throws Exception {
        try (TestDatabase any = TestServer.shared().newDatabase()) {
            return !any.one("SELECT 1 FROM pg_database WHERE datname = ?", name).equals("null");
        }
    }
}
