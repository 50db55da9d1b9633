package org.pgbaton.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts Boot applications as a user would, without what a test does not need. */
public final class Applications {
    /** The names of Boot 3.5 and those of Boot 4; each ignores the others. */
    private static final List<String> ALL_TECHNOLOGIES = List.of(
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.jdbc.JdbcRepositoriesAutoConfiguration",
            "org.springframework.boot.autoconfigure.jooq.JooqAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
            "org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration",
            "org.springframework.boot.jooq.autoconfigure.JooqAutoConfiguration",
            "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration",
            "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration",
            "org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration");

    private Applications() {}

    /** An application of these classes on this database, with JDBC alone. */
    public static ConfigurableApplicationContext start(
            TestDatabase database, List<String> properties, Class<?>... sources) {
        return start(database, "none", properties, sources);
    }

    /**
     * The same with one technology more.
     *
     * @param technology a part of the names of its auto-configurations
     */
    public static ConfigurableApplicationContext start(
            TestDatabase database, String technology, List<String> properties, Class<?>... sources) {
        return start(database.url(), technology, properties, sources);
    }

    /** The same on a database that may not be there. */
    public static ConfigurableApplicationContext start(
            String url, String technology, List<String> properties, Class<?>... sources) {
        List<String> all = new ArrayList<>(List.of(
                "spring.datasource.url=" + url,
                "spring.datasource.hikari.maximum-pool-size=8",
                "spring.datasource.hikari.minimum-idle=0",
                "spring.main.banner-mode=off",
                "spring.main.web-application-type=none",
                "logging.level.root=ERROR",
                "spring.autoconfigure.exclude=" + excluded(technology)));
        all.addAll(properties);
        return new SpringApplicationBuilder(sources)
                .sources(Automatic.class)
                .properties(all.toArray(String[]::new))
                .run();
    }

    /** The auto-configurations of the other technologies. */
    public static String excluded(String technology) {
        return String.join(
                ",",
                ALL_TECHNOLOGIES.stream()
                        .filter(each -> !each.toLowerCase(Locale.ROOT).contains(technology))
                        .toList());
    }

    /** What {@code @SpringBootApplication} does, without looking for components. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Automatic {}
}
