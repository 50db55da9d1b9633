package org.pgbaton.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.log.Draft;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.Outbox;
import org.pgbaton.spring.property.PropertyException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.mock.web.MockHttpServletRequest;

/** Without Spring Security the dashboard is refused, unless somebody says who may see it; and then only from the same machine. */
@BatonTest
class DashboardWithoutSecurityTest {
    private static final String THIS_MACHINE = "server.address=127.0.0.1";

    @Test
    void anApplicationThatNobodyProtectsDoesNotStart(TestDatabase database) {
        assertThatThrownBy(() -> start(database))
                .rootCause()
                .isInstanceOfSatisfying(PropertyException.class, refused -> assertThat(refused.action())
                        .contains("spring-boot-starter-security", "baton.dashboard.anonymous=reader"))
                .hasMessageContaining("nothing in this application says who may see the dashboard");
    }

    @Test
    void everybodyOnThisMachineMayLookIfThatIsSaid(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database, THIS_MACHINE, "baton.dashboard.anonymous=reader")) {
            Browser somebody = new Browser(context, "");
            assertThat(somebody.get("/baton/").statusCode()).isEqualTo(200);
            assertThat(somebody.get("/baton/confirm?action=pause&subscription=x").statusCode())
                    .isEqualTo(403);
            assertThat(somebody.get("/baton/", "X-Forwarded-For", "10.0.0.1").statusCode())
                    .as("through a proxy")
                    .isEqualTo(401);
        }
    }

    /** Tomcat's valve, a filter of Spring and a cloud platform replace addresses by what headers say. */
    @Test
    void anApplicationThatOthersCouldReachOrDeceiveDoesNotStart(TestDatabase database) {
        for (String anonymous : List.of("baton.dashboard.anonymous=reader", "baton.dashboard.anonymous=operator")) {
            assertRefused("listens for other machines, too", () -> start(database, anonymous));
            assertRefused(
                    "listens for other machines, too", () -> start(database, anonymous, "server.address=0.0.0.0"));
        }
        for (String replacing : List.of(
                "server.forward-headers-strategy=native",
                "server.forward-headers-strategy=FRAMEWORK",
                "server.tomcat.remoteip.remote-ip-header=x-real-ip",
                "server.tomcat.remoteip.protocol-header=x-forwarded-proto",
                "spring.main.cloud-platform=kubernetes")) {
            assertRefused(
                    "lets headers of a request say where it comes from",
                    () -> start(database, THIS_MACHINE, "baton.dashboard.anonymous=reader", replacing));
        }
    }

    @Test
    void aPlatformThatLeavesAddressesAloneIsAccepted(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(
                database,
                "server.address=localhost",
                "baton.dashboard.anonymous=reader",
                "spring.main.cloud-platform=kubernetes",
                "server.forward-headers-strategy=none")) {
            assertThat(new Browser(context, "").get("/baton/").statusCode()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 127.0.0.1, 127.0.0.1, true",
        "LOCALHOST, 0:0:0:0:0:0:0:1, 0:0:0:0:0:0:0:1%0, true",
        "[::1], ::1, [::1], true",
        "127.0.0.1, 127.0.0.1, 10.0.0.7, false",
        "127.0.0.1, 10.0.0.7, 127.0.0.1, false",
        "127.0.0.1, 127.0.0.1, localhost, false",
        "127.0.0.1.example.com, 127.0.0.1, 127.0.0.1, false",
        "rebound.example.com, 127.0.0.1, 127.0.0.1, false",
    })
    void nameAndBothAddressesMustBeOfThisMachine(String name, String local, String remote, boolean mayLook) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setServerName(name);
        request.setLocalAddr(local);
        request.setRemoteAddr(remote);
        DashboardProperties properties = new DashboardProperties(
                true, "/baton", "R", "O", false, DashboardProperties.Anonymous.READER);
        assertThat(new DashboardViewers(properties).of(request) != null).isEqualTo(mayLook);
    }

    private static void assertRefused(String why, ThrowableAssert.ThrowingCallable start) {
        assertThatThrownBy(start)
                .rootCause()
                .isInstanceOf(PropertyException.class)
                .hasMessageContaining(why);
    }

    @Test
    void itShowsTheRelaysOfThisProcess(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(
                database,
                THIS_MACHINE,
                "baton.dashboard.anonymous=reader",
                "baton.relays.to-acme.webhook.url=https://hooks.acme.example/orders?token=hush")) {
            assertThat(new Browser(context, "").get("/baton/relays").body())
                    .contains("to-acme", "hooks.acme.example")
                    .doesNotContain("hush", "publishes nothing");
        }
    }

    @Test
    void aRelayWhoseTargetIsAwayIsShownAsSuch(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(
                database,
                THIS_MACHINE,
                "baton.dashboard.anonymous=reader",
                "baton.relays.to-nobody.webhook.url=http://127.0.0.1:1/hook",
                "baton.relays.to-nobody.webhook.allow-private=true")) {
            Browser somebody = new Browser(context, "");
            context.getBean(Outbox.class).sendNow(Draft.json("1").topic("orders"));
            await().atMost(Duration.ofSeconds(60)).until(() -> somebody.get("/baton/api/v1/served")
                    .body()
                    .replace(" ", "")
                    .contains("\"targetAway\":true"));
            assertThat(somebody.get("/baton/relays").body()).contains("chip chip-bad\">open");
        }
    }

    @Test
    void nobodyMayLookIfSomethingElseLetsPeopleLogIn(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database, "baton.dashboard.anonymous=nobody")) {
            assertThat(new Browser(context, "").get("/baton/").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void itIsOffUnlessItIsAskedFor(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = start(database, "baton.dashboard.enabled=false")) {
            assertThat(new Browser(context, "").get("/baton/").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aModuleThatIsMissingIsNamed() {
        DashboardProperties properties = new DashboardProperties(
                true, "/baton", "R", "O", false, DashboardProperties.Anonymous.READER);
        assertThatThrownBy(() -> new DashboardProtection(
                        properties,
                        new DefaultListableBeanFactory(),
                        new MockEnvironment(),
                        new FilteredClassLoader("org.pgbaton.dashboard")))
                .isInstanceOf(PropertyException.class)
                .hasMessage("baton.dashboard.enabled=true needs baton-dashboard, which is not on the class path.");
    }

    private static ConfigurableApplicationContext start(TestDatabase database, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.web-application-type=servlet", "server.port=0", "baton.dashboard.enabled=true"));
        all.addAll(List.of(properties));
        return Applications.start(database, all);
    }
}
