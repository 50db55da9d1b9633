package org.pgbaton.server.http;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.dashboard.http.Viewer;

/**
 * Finds out who sends a request: by token, by name and password, by the header of a trusted proxy, or nobody in particular on this machine.
 * Immutable.
 */
public final class Access {
    /** Somebody with a password, a token or both; null stands for none. */
    record User(
            String name,
            @Nullable String password,
            @Nullable String token,
            Role role) {}

    /**
     * A proxy that has people log in.
     *
     * @param from empty for loopback
     * @param operators "*" stands for everybody
     */
    record Proxy(String header, Set<InetAddress> from, Set<String> operators) {}

    private final List<User> users;
    private final @Nullable Proxy proxy;
    private final @Nullable Role anonymous;

    private Access(List<User> users, @Nullable Proxy proxy, @Nullable Role anonymous) {
        this.users = users;
        this.proxy = proxy;
        this.anonymous = anonymous;
    }

    static Access of(List<User> users, @Nullable Proxy proxy) {
        return new Access(List.copyOf(users), proxy, null);
    }

    /** Whoever can connect; for loopback only. */
    public static Access anonymous(Role role) {
        return new Access(List.of(), null, role);
    }

    /** Whether nobody has to log in. */
    boolean isAnonymous() {
        return anonymous != null;
    }

    boolean hasPasswords() {
        return users.stream().anyMatch(user -> user.password != null);
    }

    /**
     * Null if it is nobody who may see anything.
     *
     * @param headers with names in lower case
     */
    @Nullable
    Viewer viewer(Map<String, String> headers, InetAddress from) {
        if (anonymous != null) {
            return new Viewer("somebody on this machine", anonymous, false);
        }
        String authorization = headers.getOrDefault("authorization", "");
        if (authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return byToken(authorization.substring(7).strip());
        }
        if (authorization.regionMatches(true, 0, "Basic ", 0, 6)) {
            return byPassword(authorization.substring(6).strip());
        }
        return byProxy(headers, from);
    }

    private @Nullable Viewer byToken(String token) {
        Viewer found = null;
        for (User user : users) { // all of them, so that the time says nothing
            if (user.token != null && isSame(user.token, token)) {
                found = new Viewer(user.name, user.role, true);
            }
        }
        return found;
    }

    private @Nullable Viewer byPassword(String encoded) {
        String decoded;
        try {
            decoded = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException garbage) {
            return null;
        }
        int colon = decoded.indexOf(':');
        if (colon < 0) {
            return null;
        }
        Viewer found = null;
        for (User user : users) {
            boolean right = user.password != null && isSame(user.password, decoded.substring(colon + 1));
            if (right && user.name.equals(decoded.substring(0, colon))) {
                found = new Viewer(user.name, user.role, false);
            }
        }
        return found;
    }

    private @Nullable Viewer byProxy(Map<String, String> headers, InetAddress from) {
        Proxy trusted = proxy;
        if (trusted == null) {
            return null;
        }
        boolean isTrusted = trusted.from.isEmpty() ? from.isLoopbackAddress() : trusted.from.contains(from);
        String name = headers.get(trusted.header.toLowerCase(Locale.ROOT));
        if (!isTrusted || name == null || name.isBlank()) {
            return null;
        }
        boolean mayAct = trusted.operators.contains("*") || trusted.operators.contains(name);
        return new Viewer(name, mayAct ? Role.OPERATOR : Role.READER, false);
    }

    private static boolean isSame(String secret, String given) {
        return MessageDigest.isEqual(secret.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
