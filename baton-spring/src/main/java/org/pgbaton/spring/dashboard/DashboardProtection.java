package org.pgbaton.spring.dashboard;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.spring.property.PropertyException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Looks at start whether the dashboard can be served, and whether somebody protects it. */
public final class DashboardProtection {
    private static final String DASHBOARD = "org.pgbaton.dashboard.Dashboard";
    private static final String SECURITY = "springSecurityFilterChain";

    /**
     * Refuses a dashboard that cannot be served, or that everybody could see.
     *
     * @throws PropertyException says what is missing
     */
    public DashboardProtection(
            DashboardProperties properties, BeanFactory beans, Environment environment, ClassLoader loader) {
        if (!ClassUtils.isPresent(DASHBOARD, loader)) {
            throw new PropertyException(
                    "baton.dashboard.enabled=true needs baton-dashboard, which is not on the class path.",
                    "Add the dependency org.pgbaton:baton-dashboard, or leave the property out.");
        }
        if (properties.anonymous() == null && !beans.containsBean(SECURITY)) {
            throw new PropertyException(
                    "baton.dashboard.enabled=true, but nothing in this application says who may see the dashboard: there is no Spring"
                            + " Security.",
                    "Add spring-boot-starter-security. Or set baton.dashboard.anonymous=reader (or operator) for everybody on this machine,"
                            + " and nobody else, which also needs server.address=127.0.0.1; or baton.dashboard.anonymous=nobody if something else lets people log in.");
        }
        if (properties.anonymous() == DashboardProperties.Anonymous.READER
                || properties.anonymous() == DashboardProperties.Anonymous.OPERATOR) {
            requireThisMachineOnly(environment);
        }
    }

    /** What a request says about its origin can be trusted only if nobody else can connect, and if no header may replace it. */
    private static void requireThisMachineOnly(Environment environment) {
        String setting = "baton.dashboard.anonymous is for everybody on this machine, ";
        if (!Loopback.isName(environment.getProperty("server.address"))) {
            throw new PropertyException(
                    setting + "but the web server listens for other machines, too.",
                    "Set server.address=127.0.0.1; or let people log in, with spring-boot-starter-security.");
        }
        String replacing = whatReplacesAddresses(environment);
        if (replacing != null) {
            throw new PropertyException(
                    setting + "but " + replacing + " lets headers of a request say where it comes from.",
                    "Set server.forward-headers-strategy=none and no server.tomcat.remoteip headers; or let people log in, with"
                            + " spring-boot-starter-security.");
        }
    }

    private static @Nullable String whatReplacesAddresses(Environment environment) {
        for (String header : List.of("remote-ip-header", "protocol-header")) {
            if (StringUtils.hasText(environment.getProperty("server.tomcat.remoteip." + header))) {
                return "server.tomcat.remoteip." + header; // Tomcat's valve is there then, whatever the strategy
            }
        }
        String strategy = environment.getProperty("server.forward-headers-strategy");
        if (StringUtils.hasText(strategy)) {
            return strategy.equalsIgnoreCase("none") ? null : "server.forward-headers-strategy=" + strategy;
        }
        CloudPlatform platform = CloudPlatform.getActive(environment);
        return platform != null && platform.isUsingForwardHeaders() ? "the cloud platform " + platform : null;
    }
}
