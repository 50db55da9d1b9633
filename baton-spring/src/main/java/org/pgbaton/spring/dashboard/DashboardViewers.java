package org.pgbaton.spring.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.dashboard.http.Viewer;

/** Who asks, by what the Servlet API says: that is where Spring Security, like others, puts users and their roles. Thread-safe. */
final class DashboardViewers {
    private final DashboardProperties properties;

    DashboardViewers(DashboardProperties properties) {
        this.properties = properties;
    }

    /** Null if that one may not look. */
    @Nullable
    Viewer of(HttpServletRequest request) {
        Principal user = request.getUserPrincipal();
        Role role = user == null ? anonymous(request) : role(request);
        if (role == null) {
            return null;
        }
        return new Viewer(user == null ? "somebody on this machine" : user.getName(), role, hasToken(request));
    }

    private @Nullable Role role(HttpServletRequest request) {
        if (isIn(properties.operatorRole(), request)) {
            return Role.OPERATOR;
        }
        return isIn(properties.readerRole(), request) ? Role.READER : null;
    }

    private static boolean isIn(String role, HttpServletRequest request) {
        return role.equals("*") || request.isUserInRole(role);
    }

    private @Nullable Role anonymous(HttpServletRequest request) {
        DashboardProperties.Anonymous allowed = properties.anonymous();
        if (allowed == null || allowed == DashboardProperties.Anonymous.NOBODY || !isFromThisMachine(request)) {
            return null;
        }
        return allowed == DashboardProperties.Anonymous.OPERATOR ? Role.OPERATOR : Role.READER;
    }

    /**
     * Neither through a proxy that says so, nor through the name of another site that points to this machine. That the server listens on
     * this machine alone was checked at start; a connector of the application's own, or another container, may not.
     */
    private static boolean isFromThisMachine(HttpServletRequest request) {
        boolean direct = request.getHeader("X-Forwarded-For") == null && request.getHeader("Forwarded") == null;
        return direct
                && Loopback.isName(request.getServerName())
                && Loopback.isAddress(request.getLocalAddr())
                && Loopback.isAddress(request.getRemoteAddr());
    }

    /** A browser does not send a bearer token on its own. */
    private static boolean hasToken(HttpServletRequest request) {
        String authorization = request.getHeader("Authorization");
        return authorization != null && authorization.regionMatches(true, 0, "Bearer ", 0, 7);
    }
}
