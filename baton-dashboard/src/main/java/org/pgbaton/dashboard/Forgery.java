package org.pgbaton.dashboard;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Request;

/**
 * Keeps other sites from acting through a viewer's browser. A request that acts must carry a token, or a header that browsers do not send to
 * other sites without asking, or the same secret in a field and in a cookie that only pages of this site can read. It works with several
 * processes behind one address, since none of them has to remember anything.
 */
final class Forgery {
    private static final String COOKIE = "baton_csrf";
    private static final String FIELD = "csrf";
    private static final int BYTES = 18;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Forgery() {}

    record Secret(String value, boolean isNew) {}

    static Secret secret(Request request) {
        String known = request.cookie(COOKIE);
        if (known != null && known.matches("[0-9a-f]{36}")) {
            return new Secret(known, false);
        }
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new Secret(HexFormat.of().formatHex(bytes), true);
    }

    static String cookie(Secret secret, String path) {
        return COOKIE + "=" + secret.value + "; Path=" + path + "; HttpOnly; SameSite=Strict";
    }

    static void refuse(Request request) {
        String site = request.header("sec-fetch-site");
        boolean foreign = site != null && !site.equals("same-origin") && !site.equals("none");
        boolean proven = request.viewer().byToken() || hasHeader(request) || hasSecret(request);
        if (foreign || !proven) {
            throw new RefusedException(
                    403,
                    "This request does not come from a page of the dashboard: reload the page and try again; a program "
                            + "sends a token, or the header " + Dashboard.CSRF_HEADER + ": 1.");
        }
    }

    private static boolean hasHeader(Request request) {
        String header = request.header(Dashboard.CSRF_HEADER);
        return header != null && !header.isEmpty();
    }

    private static boolean hasSecret(Request request) {
        String cookie = request.cookie(COOKIE);
        String field = request.form().get(FIELD);
        return cookie != null
                && field != null
                && cookie.length() == 2 * BYTES
                && MessageDigest.isEqual(
                        cookie.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        field.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
