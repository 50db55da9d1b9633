package org.pgbaton.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The dashboard is served by the application under its own security: who may look and who may act is said by roles of its users. */
@BatonTest
class DashboardTest {
    private static final String PAUSE = "/baton/confirm?action=pause&subscription=printer";

    /** Something to see. */
    static class Printer {
        @BatonListener(log = "outbox", subscription = "printer", reaction = true)
        void print(Message message) {}
    }

    @Configuration
    static class Users {
        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("olga")
                            .password("{noop}secret")
                            .roles("BATON_OPERATOR")
                            .build(),
                    User.withUsername("rita")
                            .password("{noop}secret")
                            .roles("BATON_READER")
                            .build(),
                    User.withUsername("carl")
                            .password("{noop}secret")
                            .roles("CUSTOMER")
                            .build());
        }
    }

    /** Everybody must log in. */
    @Configuration
    static class Closed {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/baton/**")
                            .authenticated()
                            .anyRequest()
                            .denyAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    /** An application that forgot about the dashboard, and leaves forgery to others. */
    @Configuration
    static class Open {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(
                            requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @Test
    void whoIsNotLoggedInIsRefused(TestDatabase database) throws Exception {
        for (Class<?> security : List.<Class<?>>of(Closed.class, Open.class)) {
            try (ConfigurableApplicationContext context = start(database, security)) {
                HttpResponse<String> answer = new Browser(context, "").get("/baton/");
                assertThat(answer.statusCode()).isEqualTo(401);
                assertThat(answer.headers().firstValue("WWW-Authenticate"))
                        .as("asks for a password")
                        .isPresent();
                assertThat(answer.body()).doesNotContain("printer");
                assertThat(new Browser(context, "").get("/baton/api/v1/status").statusCode())
                        .isEqualTo(401);
            }
        }
    }

    @Test
    void aUserWithoutARoleForItIsRefused(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database, Closed.class)) {
            HttpResponse<String> answer = new Browser(context, "carl").get("/baton/");
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).contains("have no role that may see the dashboard");
        }
    }

    @Test
    void aReaderLooksAndCannotAct(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database, Open.class)) {
            Browser rita = new Browser(context, "rita");
            assertThat(rita.get("/baton/subscriptions").body()).contains("printer");
            assertThat(rita.get(PAUSE).statusCode()).isEqualTo(403);
            HttpResponse<String> refused =
                    rita.post("/baton/act", Map.of("action", "pause", "subscription", "printer"), "X-Baton-Csrf", "1");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("You may look, but not change anything");
            assertThat(printer(context).state()).isNotEqualTo(SubscriptionStatus.State.PAUSED);
        }
    }

    @Test
    void anOperatorActsThroughAFormThatSpringSecurityAccepts(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database, Closed.class)) {
            Browser olga = new Browser(context, "olga");
            Map<String, String> fields = Browser.hidden(olga.get(PAUSE).body());
            assertThat(fields).containsKeys("csrf", "_csrf", "action", "subscription");

            Map<String, String> withoutSprings = new LinkedHashMap<>(fields);
            withoutSprings.remove("_csrf");
            assertThat(olga.post("/baton/act", withoutSprings).statusCode())
                    .as("Spring Security wants its field")
                    .isBetween(401, 403);
            Map<String, String> withoutOurs = new LinkedHashMap<>(fields);
            withoutOurs.remove("csrf");
            assertThat(olga.post("/baton/act", withoutOurs).body()).contains("does not come from a page of the dashboard");
            assertThat(printer(context).state()).isNotEqualTo(SubscriptionStatus.State.PAUSED);

            HttpResponse<String> done = olga.post("/baton/act", fields);
            assertThat(done.statusCode()).isEqualTo(303);
            assertThat(printer(context).state()).isEqualTo(SubscriptionStatus.State.PAUSED);
            assertThat(database.one("SELECT who FROM baton.action ORDER BY id DESC LIMIT 1"))
                    .isEqualTo("olga (dashboard)");
        }
    }

    @Test
    void itCanStandBelowAContextPath(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context =
                start(database, Open.class, "server.servlet.context-path=/shop", "baton.dashboard.path=/ops/baton")) {
            Browser rita = new Browser(context, "rita");
            assertThat(rita.get("/shop/ops/baton").headers().firstValue("Location"))
                    .hasValue("/shop/ops/baton/");
            assertThat(rita.get("/shop/ops/baton/").body()).contains("/shop/ops/baton/assets/");
        }
    }

    /** Notes who changes a response, beside its body. */
    static class ResponseChanges implements Filter {
        final Queue<String> threads = new ConcurrentLinkedQueue<>();

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response) {
                @Override
                public void setStatus(int status) {
                    note();
                    super.setStatus(status);
                }

                @Override
                public void setHeader(String name, String value) {
                    note();
                    super.setHeader(name, value);
                }

                @Override
                public void setContentType(String type) {
                    note();
                    super.setContentType(type);
                }

                @Override
                public ServletOutputStream getOutputStream() throws IOException {
                    note();
                    return super.getOutputStream();
                }
            });
        }

        private void note() {
            threads.add(Thread.currentThread().getName());
        }
    }

    /** The container's thread still uses the response, while the stream's thread has begun. */
    @Test
    void theThreadOfALivePageWritesItsBodyAlone(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database, Open.class, ResponseChanges.class)) {
            HttpResponse<Stream<String>> live = new Browser(context, "rita").follow("/baton/live?view=/");
            assertThat(live.statusCode()).isEqualTo(200);
            assertThat(live.headers().firstValue("X-Accel-Buffering")).hasValue("no");
            assertThat(live.body().findFirst()).hasValueSatisfying(line -> assertThat(line).startsWith("event: "));
            assertThat(context.getBean(ResponseChanges.class).threads)
                    .isNotEmpty()
                    .noneMatch(name -> name.startsWith("baton-viewer"));
        }
    }

    @Test
    void aLivePageDoesNotDelayTheEndOfTheApplication(TestDatabase database) throws Exception {
        long begun;
        try (ConfigurableApplicationContext context = start(
                database,
                Closed.class,
                "server.shutdown=graceful",
                "spring.lifecycle.timeout-per-shutdown-phase=5m")) {
            HttpResponse<Stream<String>> live = new Browser(context, "rita").follow("/baton/live?view=/");
            assertThat(live.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
            assertThat(live.body().findFirst()).hasValueSatisfying(line -> assertThat(line).startsWith("event: "));
            begun = System.nanoTime();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMinutes(2));
    }

    private static ConfigurableApplicationContext start(
            TestDatabase database, Class<?> security, String... properties) {
        return start(database, security, Printer.class, properties);
    }

    private static ConfigurableApplicationContext start(
            TestDatabase database, Class<?> security, Class<?> more, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.web-application-type=servlet", "server.port=0", "baton.dashboard.enabled=true"));
        all.addAll(List.of(properties));
        return Applications.start(database, "security", all, Printer.class, Users.class, security, more);
    }

    private static SubscriptionStatus printer(ConfigurableApplicationContext context) {
        return context.getBean(Baton.class).subscriptions().list().stream()
                .filter(each -> each.name().equals("printer"))
                .findFirst()
                .orElseThrow();
    }
}
