package org.pgbaton.server.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** The section {@code http} of a file: where to listen, and who may see the dashboard. Immutable. */
public final class HttpConfig {
    private static final int SHORTEST_TOKEN = 16;

    private static final Kind<Role> ROLE = Scalar.choice(roles());

    private static final Key<Integer> PORT = Key.optional(
            "port", Scalar.whole(0, 65535), "0", "Serve health, metrics and the dashboard here; 0: not at all.");
    private static final Key<String> ADDRESS =
            Key.optional("address", Scalar.name(), "127.0.0.1", "The address to listen on; 0.0.0.0 for all of them.");
    private static final Key<String> PREFIX = Key.optional(
            "prefix",
            Scalar.form("a path like /ops/baton", "(/[A-Za-z0-9._~-]+)+", text -> text),
            "The path under which a proxy shows the dashboard. Default: none.");
    private static final Key<Boolean> DASHBOARD = Key.optional(
            "dashboard",
            Scalar.truth(),
            "true",
            "Serve the dashboard and its API, too; only on loopback unless somebody has to log in.");
    private static final Key<Role> ANONYMOUS = Key.optional(
            "anonymous",
            ROLE,
            "reader",
            "What everybody on this machine may do if nobody has to log in: reader (look) or operator (act).");
    private static final Key<Boolean> PAYLOADS =
            Key.optional("payloads-for-readers", Scalar.truth(), "false", "Show payloads of messages to readers, too.");

    private static final Key<String> USER_NAME =
            Key.required("name", Scalar.name(), "The name under which actions are recorded.");
    private static final Key<String> PASSWORD = Key.optional(
                    "password", Scalar.text(), "For browsers: HTTP basic authentication.")
            .secret();
    private static final Key<String> TOKEN = Key.optional(
                    "token", Scalar.text(), "For programs: 'Authorization: Bearer TOKEN'.")
            .secret();
    private static final Key<Role> USER_ROLE = Key.optional("role", ROLE, "reader", "reader (look) or operator (act).");
    private static final Section USER = Section.of("user", USER_NAME, PASSWORD, TOKEN, USER_ROLE)
            .namedBy(USER_NAME)
            .atLeastOneOf(PASSWORD, TOKEN)
            .check(HttpConfig::checkUser);
    private static final Key<List<Settings>> USERS =
            Key.optional("users", USER.list(), "Who may see the dashboard. Default: whoever is on this machine.");

    private static final Key<String> HEADER = Key.required(
            "header", Scalar.name(), "The header in which the proxy says who it is: X-Forwarded-User, for instance.");
    private static final Key<List<String>> FROM = Key.optional(
            "from",
            Scalar.name().list(),
            "The addresses of the proxy; the header of others does not count. Default: loopback.");
    private static final Key<List<String>> OPERATORS =
            Key.optional("operators", Scalar.name().list(), "Who may act; '*': everybody. Default: nobody.");
    private static final Key<Settings> PROXY = Key.optional(
            "proxy",
            Section.of("proxy", HEADER, FROM, OPERATORS)
                    .check(HttpConfig::checkProxy)
                    .kind(),
            "A proxy that has people log in, and says who they are.");

    public static final Section SECTION = Section.of(
                    "http", PORT, ADDRESS, PREFIX, DASHBOARD, ANONYMOUS, PAYLOADS, USERS, PROXY)
            .check(HttpConfig::check);

    private final @Nullable Settings settings;

    /** @param settings without problems; null if the file has no such section */
    public HttpConfig(@Nullable Settings settings) {
        this.settings = settings;
    }

    private static void checkUser(Settings user) {
        String token = user.find(TOKEN);
        if (token != null && token.length() < SHORTEST_TOKEN) {
            user.problem(
                    TOKEN,
                    "the token of " + user.title() + " is too short: give at least " + SHORTEST_TOKEN + " characters");
        }
        if ("".equals(user.find(PASSWORD))) {
            user.problem(PASSWORD, "the password of " + user.title() + " is empty");
        }
    }

    private static void checkProxy(Settings proxy) {
        for (String each : proxy.list(FROM)) {
            if (address(each) == null) {
                proxy.problem(FROM, "'" + each + "' in proxy is no IP address: write it like 10.0.0.7 or fd00::7");
            }
        }
    }

    private static void check(Settings http) {
        Set<String> names = new HashSet<>();
        for (Settings user : http.list(USERS)) {
            String name = user.find(USER_NAME);
            if (name != null && !names.add(name)) {
                http.problem(user.line(), "user '" + name + "' is there twice");
            }
        }
        if (http.has(ANONYMOUS) && (http.has(USERS) || http.has(PROXY))) {
            http.problem(ANONYMOUS, "'anonymous' in http makes no sense where people have to log in: leave it out");
        }
        if (http.has(DASHBOARD) && Boolean.TRUE.equals(http.find(DASHBOARD))) {
            String address = http.find(ADDRESS);
            if (address != null && !isLoopback(address) && !http.has(USERS) && !http.has(PROXY)) {
                http.problem(
                        DASHBOARD,
                        "the dashboard would be open to everybody who reaches " + address
                                + ": give 'users' or 'proxy' in http, or listen on 127.0.0.1");
            }
        }
    }

    static boolean isLoopback(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false; // listening on it says so
        }
    }

    /** Null if it is not an address but a name. */
    private static @Nullable InetAddress address(String text) {
        try {
            return text.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*") ? InetAddress.getByName(text) : null;
        } catch (UnknownHostException wrong) {
            return null;
        }
    }

    /** Of a key that has a default. */
    private <T> T get(Key<T> key) {
        Settings given = settings;
        return given == null ? key.orStandard() : given.get(key);
    }

    /** 0 if nothing is served. */
    public int port() {
        return get(PORT);
    }

    public String address() {
        return get(ADDRESS);
    }

    /** Empty if there is none. */
    public String prefix() {
        Settings given = settings;
        String prefix = given == null ? null : given.find(PREFIX);
        return prefix == null ? "" : prefix;
    }

    public boolean payloadsForReaders() {
        return get(PAYLOADS);
    }

    /** Null if the dashboard can be served, else why not. */
    public @Nullable String whyNoDashboard() {
        if (!get(DASHBOARD)) {
            return "The dashboard is switched off ('dashboard: false').";
        }
        return isLoopback(address()) || needsLogin()
                ? null
                : "The dashboard is off, because everybody who reaches " + address()
                        + " could see it: give 'users' or 'proxy' in the section http of the file.";
    }

    private boolean needsLogin() {
        return settings != null && (settings.has(USERS) || settings.has(PROXY));
    }

    public Access access() {
        Settings given = settings;
        if (given == null || !needsLogin()) {
            return Access.anonymous(get(ANONYMOUS));
        }
        List<Access.User> users =
                given.list(USERS).stream().map(HttpConfig::user).toList();
        Settings proxy = given.find(PROXY);
        return Access.of(users, proxy == null ? null : proxy(proxy));
    }

    private static Access.User user(Settings user) {
        return new Access.User(user.get(USER_NAME), user.find(PASSWORD), user.find(TOKEN), user.get(USER_ROLE));
    }

    private static Access.Proxy proxy(Settings proxy) {
        Set<InetAddress> from = new HashSet<>();
        for (String each : proxy.list(FROM)) {
            InetAddress address = address(each);
            if (address != null) {
                from.add(address);
            }
        }
        return new Access.Proxy(proxy.get(HEADER), from, Set.copyOf(proxy.list(OPERATORS)));
    }

    /** In this order, which the JSON Schema shows. */
    private static Map<String, Role> roles() {
        Map<String, Role> roles = new LinkedHashMap<>();
        roles.put("reader", Role.READER);
        roles.put("operator", Role.OPERATOR);
        return roles;
    }
}
