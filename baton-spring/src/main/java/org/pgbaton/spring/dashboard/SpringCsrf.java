package org.pgbaton.spring.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/** The field that Spring Security looks for in forms, if it is there and looks for one. */
final class SpringCsrf {
    private static final boolean PRESENT =
            ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken", SpringCsrf.class.getClassLoader());

    private SpringCsrf() {}

    static Map<String, String> fields(HttpServletRequest request) {
        return PRESENT ? Field.of(request) : Map.of();
    }

    /** Loaded only if Spring Security is there. */
    private static final class Field {
        static Map<String, String> of(HttpServletRequest request) {
            return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? Map.of(token.getParameterName(), token.getToken())
                    : Map.of();
        }
    }
}
