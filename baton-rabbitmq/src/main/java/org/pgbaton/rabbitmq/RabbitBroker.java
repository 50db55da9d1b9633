package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.SocketConfigurators;
import com.rabbitmq.client.impl.DefaultExceptionHandler;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.pgbaton.publishing.Broker;
import org.pgbaton.publishing.BrokerLink;
import org.pgbaton.publishing.ConnectOptions;
import org.pgbaton.publishing.LinkEvents;
import org.pgbaton.publishing.PendingMessage;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Connects to RabbitMQ: with a time limit for every step, with the certificate and its host name checked, with the password as it is
 * now. The client's own recovery is off: it would send messages again that have failed.
 *
 * <p>Threading: called by the sending loop's thread.
 */
final class RabbitBroker implements Broker<AmqpEnvelope> {
    private static final int HEARTBEAT_SECONDS = 10;

    private final AmqpUri uri;
    private final ConnectOptions options;
    private final boolean oneExchange;
    private final boolean mandatory;
    private final ThreadFactory threads;
    private final SuspectMessages suspects = new SuspectMessages();

    /**
     * @param oneExchange whether all messages go to one exchange; then a problem with the exchange concerns all of them
     */
    RabbitBroker(AmqpUri uri, ConnectOptions options, boolean oneExchange, boolean mandatory, ThreadFactory threads) {
        this.uri = uri;
        this.options = options;
        this.oneExchange = oneExchange;
        this.mandatory = mandatory;
        this.threads = threads;
    }

    @Override
    public BrokerLink<AmqpEnvelope> connect(LinkEvents<AmqpEnvelope> events) {
        return new RabbitLink(this, events, suspects);
    }

    /**
     * @param sockets gets every socket that is tried; the last one is the connection's
     * @throws HandlerException an outage, in one sentence
     */
    Connection open(Consumer<Socket> sockets) {
        List<Address> hosts = uri.hosts().stream()
                .map(host -> new Address(host.name(), host.port()))
                .toList();
        try {
            return factory(sockets).newConnection(hosts, "baton");
        } catch (AuthenticationFailureException refused) {
            throw away("refuses user '" + uri.user() + "': check the user and its password", refused);
        } catch (TimeoutException slow) {
            throw away("did not answer within " + limit().toMillis() / 1000.0 + " s", slow);
        } catch (IOException failed) {
            // The client wraps the broker's answer, for example that there is no such virtual host.
            Throwable told = failed.getCause() instanceof ShutdownSignalException said ? said : failed;
            throw away("cannot be reached: " + AmqpVerdicts.words(told), failed);
        }
    }

    private HandlerException away(String what, Throwable cause) {
        return new HandlerException(Verdict.OUTAGE, this + " " + what + ".", cause);
    }

    private ConnectionFactory factory(Consumer<Socket> sockets) throws IOException {
        int millis = Math.toIntExact(limit().toMillis());
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUsername(uri.user());
        factory.setPassword(options.password(uri.password()));
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
        SSLContext context = options.tls();
        if (context != null) {
            factory.useSslProtocol(context);
            // Newer clients check it themselves, but many applications have an older one.
            factory.enableHostnameVerification();
        }
        return factory;
    }

    /** A sentence: what ended the connection. */
    String lost(Throwable cause) {
        return "The connection to " + this + " was lost: " + AmqpVerdicts.words(cause) + ".";
    }

    Duration limit() {
        return options.limit();
    }

    boolean hasOneExchange() {
        return oneExchange;
    }

    /** Whether a message that no queue wants has failed. */
    boolean isMandatory() {
        return mandatory;
    }

    @Override
    public String didNotConfirm(PendingMessage<AmqpEnvelope> message) {
        return "did not confirm " + message + " for " + message.envelope().address();
    }

    @Override
    public String confirmedNothing() {
        return "confirmed nothing";
    }

    @Override
    public String toString() {
        return "RabbitMQ at " + uri;
    }

    /** Failures of the connection reach the sending loop. The client need not log each with its stack as well. */
    private static final class Quiet extends DefaultExceptionHandler {
        @Override
        public void handleUnexpectedConnectionDriverException(Connection connection, Throwable exception) {}
    }
}
