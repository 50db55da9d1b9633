package org.pgbaton.spring.autoconfigure;

import org.pgbaton.Baton;
import org.pgbaton.spring.dashboard.DashboardProperties;
import org.pgbaton.spring.dashboard.DashboardProtection;
import org.pgbaton.spring.dashboard.DashboardServlet;
import org.pgbaton.spring.dashboard.LiveStreams;
import org.pgbaton.spring.dashboard.ServedParts;
import org.pgbaton.spring.property.PropertyException;
import org.pgbaton.spring.relay.RelayTargets;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The dashboard, in an application with a web server. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "baton.dashboard", name = "enabled", havingValue = "true")
class DashboardConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @EnableConfigurationProperties(DashboardProperties.class)
    static class Protected {
        @Bean
        DashboardProtection batonDashboardProtection(
                DashboardProperties properties, ConfigurableListableBeanFactory beans, Environment environment) {
            return new DashboardProtection(properties, beans, environment, beans.getBeanClassLoader());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(name = {"org.pgbaton.dashboard.Dashboard", "jakarta.servlet.http.HttpServlet"})
    static class Mounted {
        @Bean
        LiveStreams batonLiveStreams() {
            return new LiveStreams();
        }

        /** @param isProtected was checked then */
        @Bean
        ServletRegistrationBean<DashboardServlet> batonDashboard(
                Baton baton,
                DashboardProperties properties,
                LiveStreams streams,
                ObjectProvider<RelayTargets> relays,
                DashboardProtection isProtected) {
            ServletRegistrationBean<DashboardServlet> servlet = new ServletRegistrationBean<>(
                    new DashboardServlet(baton, properties, streams, new ServedParts(baton, relays)),
                    properties.path() + "/*");
            servlet.setName("batonDashboard");
            return servlet;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Refused {
        Refused() {
            throw new PropertyException(
                    "baton.dashboard.enabled=true needs a servlet web server, and this application has a reactive one.",
                    "Leave the property out, and let 'baton serve' show the dashboard.");
        }
    }
}
