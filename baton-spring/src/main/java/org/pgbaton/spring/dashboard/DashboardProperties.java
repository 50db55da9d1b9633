package org.pgbaton.spring.dashboard;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code baton.dashboard.*}. Immutable.
 *
 * @param enabled Whether the dashboard is served by this application. Needs baton-dashboard.
 * @param path Where it is served, below the application's context path.
 * @param readerRole Who is in this role of the application may look. '*': whoever is logged in.
 * @param operatorRole Who is in this role of the application may also pause, resume, retry, skip and redact.
 * @param payloadsForReaders Whether readers see payloads and headers of messages, too.
 * @param anonymous What those may do who are not logged in, and ask from the same machine: nobody, reader or operator. Reader and operator
 *     need server.address=127.0.0.1. Default: the application must have Spring Security.
 */
@ConfigurationProperties("baton.dashboard")
public record DashboardProperties(
        boolean enabled,
        @DefaultValue("/baton") String path,
        @DefaultValue("BATON_READER") String readerRole,
        @DefaultValue("BATON_OPERATOR") String operatorRole,
        boolean payloadsForReaders,
        @Nullable Anonymous anonymous) {
    /** What those may do who are not logged in. */
    public enum Anonymous {
        /** They may do nothing: something else than Spring Security lets people log in. */
        NOBODY,
        /** They may look. */
        READER,
        /** They may look and act. */
        OPERATOR
    }

    /** Checks the path. */
    public DashboardProperties {
        if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
            throw new IllegalArgumentException(
                    "baton.dashboard.path cannot be '" + path.substring(0, Math.min(60, path.length()))
                            + "': write it like /baton (the default) or /ops/baton.");
        }
    }
}
