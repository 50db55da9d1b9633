package org.pgbaton.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.TestExecutionListeners;
import org.springframework.test.context.TestExecutionListeners.MergeMode;

/**
 * {@code @SpringBootTest} on a database of its own, with a {@link SentMessages} bean.
 *
 * <pre>{@code
 * @BatonSpringTest
 * class OrdersTest {
 *     @Autowired Orders orders;
 *     @Autowired SentMessages sent;
 *
 *     @Test
 *     void anOrderIsToldOnce() {
 *         orders.place(new Order(1, "ann", 10));
 *         assertThat(sent.list()).extracting(Message::type).containsExactly("OrderPlaced");
 *         sent.drain(); // listeners have handled it
 *     }
 * }
 * }</pre>
 *
 * <p>Guarantee: the application's {@code DataSource} connects to a new database, with Baton's schema in it, on a real PostgreSQL that starts
 * once for all tests of the JVM. The database belongs to the test class, with its nested classes: the application starts for it, and ends
 * after it. A {@code DataSource} that connects elsewhere fails the test.
 *
 * <p>For a web server on a port, or other classes, use it beside {@code @SpringBootTest(webEnvironment = RANDOM_PORT)}. Works with JUnit 5 and
 * 6. For tests without Spring there is {@link org.pgbaton.testkit.BatonTest}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SpringBootTest
@TestExecutionListeners(listeners = OwnDatabaseListener.class, mergeMode = MergeMode.MERGE_WITH_DEFAULTS)
public @interface BatonSpringTest {
    /** Properties of the application, as {@code key=value}. */
    @AliasFor(annotation = SpringBootTest.class)
    String[] properties() default {};

    /** The classes of the application. Default: as with {@code @SpringBootTest}. */
    @AliasFor(annotation = SpringBootTest.class)
    Class<?>[] classes() default {};
}
