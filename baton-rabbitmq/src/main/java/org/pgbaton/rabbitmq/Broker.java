package org.pgbaton.rabbitmq;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurators;
import com.rabbitmq.client.impl.DefaultExceptionHandler;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Opens connections to RabbitMQ: with a time limit for every step, without the client's own recovery (which would send again behind
 * our back), with the certificate and its host name checked, with the password as it is now. Immutable.
 */
final class Broker {
    private static final int HEARTBEAT_SECONDS = 10;

    private final AmqpUri uri;
    private final @Nullable Path passwordFile;
    private final @Nullable SSLContext tls;
    private final Duration limit;
    private final ThreadFactory threads;

    Broker(AmqpUri uri, @Nullable Path passwordFile, @Nullable SSLContext tls, Duration limit, ThreadFactory threads) {
        this.uri = uri;
        this.passwordFile = passwordFile;
        this.tls = tls;
        this.limit = limit;
        this.threads = threads;
    }

    /**
     * @param sockets gets every socket that is tried; the last one is the connection's
     * @throws HandlerException an outage, in one sentence
     */
    Connection connect(Consumer<Socket> sockets) {
        try {
            return factory(sockets).newConnection(uri.hosts(), "baton");
        } catch (AuthenticationFailureException refused) {
            throw away("refuses user '" + uri.user() + "': check the user and its password", refused);
        } catch (TimeoutException slow) {
            throw away("did not answer within " + limit.toMillis() / 1000.0 + " s", slow);
        } catch (IOException failed) {
            // The client wraps what the broker said, for example that there is no such virtual host.
            Throwable told = failed.getCause() instanceof ShutdownSignalException said ? said : failed;
            throw away("cannot be reached: " + Troubles.words(told), failed);
        }
    }

    private HandlerException away(String what, Throwable cause) {
        return new HandlerException(Verdict.OUTAGE, "RabbitMQ at " + uri + " " + what + ".", cause);
    }

    private ConnectionFactory factory(Consumer<Socket> sockets) throws IOException {
        int millis = Math.toIntExact(limit.toMillis());
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUsername(uri.user());
        factory.setPassword(password());
        factory.setVirtualHost(uri.virtualHost());
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setConnectionTimeout(millis);
        factory.setHandshakeTimeout(millis);
        factory.setChannelRpcTimeout(millis);
        factory.setShutdownTimeout(millis);
        factory.setRequestedHeartbeat(HEARTBEAT_SECONDS);
        factory.setThreadFactory(threads);
        factory.setExceptionHandler(new Quiet());
        factory.setSocketConfigurator(SocketConfigurators.defaultConfigurator().andThen(sockets::accept));
        SSLContext context = tls;
        if (context != null) {
            factory.useSslProtocol(context);
            // Newer clients do it by themselves; those of many applications do not.
            factory.enableHostnameVerification();
        }
        return factory;
    }

    private String password() throws IOException {
        Path file = passwordFile;
        return file == null ? uri.password() : Files.readString(file).replaceFirst("\\R\\z", "");
    }

    @Override
    public String toString() {
        return uri.toString();
    }

    /** Failures of the connection reach the courier as they are; the client need not log each with its stack as well. */
    private static final class Quiet extends DefaultExceptionHandler {
        @Override
        public void handleUnexpectedConnectionDriverException(Connection connection, Throwable exception) {}
    }
}
