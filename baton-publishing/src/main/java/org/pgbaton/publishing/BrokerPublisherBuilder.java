package org.pgbaton.publishing;

import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.UnencryptedLogin;

/**
 * The options that all publishers to brokers have. Not thread-safe.
 *
 * @param <B> the builder of one kind of publisher, which extends this
 */
public abstract class BrokerPublisherBuilder<B extends BrokerPublisherBuilder<B>> {
    private static final Duration STANDARD_LIMIT = Duration.ofSeconds(10);
    private static final Duration SHORTEST_LIMIT = Duration.ofMillis(100);
    private static final Duration LONGEST_LIMIT = Duration.ofHours(1);

    private final String plainScheme;
    private final String tlsScheme;
    private final boolean encrypted;
    private @Nullable Path passwordFile;
    private @Nullable SSLContext tls;
    private Duration limit = STANDARD_LIMIT;
    private boolean unencryptedLogin;

    /**
     * For one address.
     *
     * @param plainScheme how addresses without TLS start: {@code nats://}
     * @param tlsScheme how addresses with TLS start: {@code tls://}
     * @param encrypted whether this address is with TLS
     */
    protected BrokerPublisherBuilder(String plainScheme, String tlsScheme, boolean encrypted) {
        this.plainScheme = plainScheme;
        this.tlsScheme = tlsScheme;
        this.encrypted = encrypted;
    }

    /** This builder. */
    protected abstract B self();

    /**
     * A message that is not confirmed within this time has failed. The limit also holds for each step of connecting.
     * Default 10 s.
     */
    public final B timeout(Duration longest) {
        if (longest.compareTo(SHORTEST_LIMIT) < 0 || longest.compareTo(LONGEST_LIMIT) > 0) {
            throw new IllegalArgumentException("A time-out of " + longest
                    + " makes no sense: give 100 ms to 1 hour (default " + STANDARD_LIMIT.toSeconds() + " s).");
        }
        this.limit = longest;
        return self();
    }

    /**
     * The file with the password, in place of the one in the address. It is read at every connect.
     *
     * @throws IllegalArgumentException if the file cannot be read
     */
    public final B passwordFile(Path file) {
        this.passwordFile = SecretFile.checked("password file", file);
        return self();
    }

    /**
     * For an address with TLS: the authorities to trust, and our own certificate. Default: the JVM's own. Host names
     * are checked in any case.
     */
    public final B tls(SSLContext context) {
        if (!encrypted) {
            throw new IllegalArgumentException(
                    "TLS is set up for an address that starts with " + plainScheme + "; write " + tlsScheme + ".");
        }
        this.tls = context;
        return self();
    }

    /**
     * Whether the login may go to another machine unencrypted (default false: refused when the publisher is built). For networks on which
     * nobody else can listen.
     */
    public final B allowUnencryptedLogin(boolean allowed) {
        this.unencryptedLogin = allowed;
        return self();
    }

    /** The options that were set so far. */
    protected final ConnectOptions connectOptions() {
        return new ConnectOptions(passwordFile, tlsContext(), limit);
    }

    private @Nullable SSLContext tlsContext() {
        SSLContext given = tls;
        try {
            return !encrypted || given != null ? given : SSLContext.getDefault();
        } catch (NoSuchAlgorithmException misconfigured) {
            throw new IllegalArgumentException("This JVM's default TLS settings do not work.", misconfigured);
        }
    }

    /**
     * Refuses a password that would go over the network unencrypted.
     *
     * @param address shown in the error, without secrets
     * @param hasPassword whether the address has a password
     * @throws IllegalArgumentException if a password would go to another machine unencrypted, and that was not allowed
     */
    protected final void checkLogin(String address, List<BrokerHost> hosts, boolean hasPassword) {
        if (!unencryptedLogin && !encrypted && (hasPassword || passwordFile != null)) {
            UnencryptedLogin.refuse(
                    address, hosts.stream().map(BrokerHost::name).toList(), "write " + tlsScheme);
        }
    }
}
