package org.pgbaton.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test method that asks for a {@link TestDatabase} one of its own, with Baton's schema in it, on a real PostgreSQL
 * that starts once for all tests of the JVM. The database is dropped after the test.
 *
 * <pre>{@code
 * @BatonTest
 * class ReportsTest {
 *     @Test
 *     void onlyOneWrites(TestDatabase database) throws Exception {
 *         try (Baton baton = database.baton()) { … }
 *     }
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SuppressWarnings("exports") // JUnit makes it, by reflection
@ExtendWith(TestDatabaseExtension.class)
public @interface BatonTest {}
