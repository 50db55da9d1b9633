package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One connection to RabbitMQ, with a channel in confirm mode and the messages that wait for their confirmation on it.
 *
 * <p>Threading: called by the courier's thread only, which is also where it reports, except {@link #cut} and {@link #blocked}.
 */
final class Link {
    /** What RabbitMQ says. Called by threads of the client. */
    interface Listener {
        void confirmed(Link link, Channel channel, long tag, boolean multiple, boolean kept);

        void returned(Link link, Channel channel, String messageId, String why);

        void closed(Link link, @Nullable Channel channel, ShutdownSignalException signal);

        void unblocked();
    }

    private final Listener listener;
    private final Connection connection;
    private final NavigableMap<Long, Outgoing> inFlight = new TreeMap<>();
    private @Nullable Channel channel;
    private boolean proven;
    private boolean alone;
    private long newestSettled;

    private volatile @Nullable Socket socket;
    private volatile @Nullable String blocked;

    /** @throws org.pgbaton.subscription.HandlerException if RabbitMQ cannot be reached */
    Link(Broker broker, Listener listener) {
        this.listener = listener;
        this.connection = broker.connect(each -> this.socket = each);
        connection.addBlockedListener(reason -> this.blocked = reason, () -> {
            this.blocked = null;
            listener.unblocked();
        });
        connection.addShutdownListener(signal -> listener.closed(this, null, signal));
    }

    /** RabbitMQ's reason for taking nothing at present; null while it does. */
    @Nullable
    String blocked() {
        return blocked;
    }

    int inFlight() {
        return inFlight.size();
    }

    /** Whether RabbitMQ has confirmed something that was sent later. */
    boolean hasSettledAfter(Outgoing outgoing) {
        return proven && newestSettled - outgoing.sentAt() > 0;
    }

    boolean isCurrent(Channel theirs) {
        return channel == theirs;
    }

    /**
     * Whether a message may be sent now.
     *
     * @param suspect it may make RabbitMQ close the channel; sent alone, it is known who did it. So is a connection's first message: if
     *     RabbitMQ takes nothing at present, no more than that one is left in its buffers.
     */
    boolean mayTake(boolean suspect) {
        return blocked == null && (inFlight.isEmpty() || (proven && !alone && !suspect));
    }

    boolean fits(Outgoing outgoing) {
        return connection.getFrameMax() == 0 || outgoing.headerSize() <= connection.getFrameMax();
    }

    int frameMax() {
        return connection.getFrameMax();
    }

    /** After an exception the link is of no use any more: the numbers of what was sent may be wrong. */
    void send(Outgoing outgoing, boolean suspect, boolean mandatory, long now) throws IOException {
        Channel open = channel();
        alone = suspect;
        outgoing.sent(this, now);
        inFlight.put(open.getNextPublishSeqNo(), outgoing);
        open.basicPublish(
                outgoing.address().exchange(),
                outgoing.address().routingKey(),
                mandatory,
                outgoing.properties(),
                outgoing.body());
    }

    private Channel channel() throws IOException {
        Channel open = channel;
        if (open == null) {
            Channel opened = connection.createChannel();
            if (opened == null) {
                throw new IOException("RabbitMQ allows this connection no channel");
            }
            opened.confirmSelect();
            ConfirmCallback acknowledged = (tag, multiple) -> listener.confirmed(this, opened, tag, multiple, true);
            ConfirmCallback refused = (tag, multiple) -> listener.confirmed(this, opened, tag, multiple, false);
            opened.addConfirmListener(acknowledged, refused);
            opened.addReturnListener(
                    back -> listener.returned(this, opened, back.getProperties().getMessageId(), back.getReplyText()));
            opened.addShutdownListener(signal -> listener.closed(this, opened, signal));
            channel = opened;
            open = opened;
        }
        return open;
    }

    /** @return the messages that this confirmation is about, and which wait no longer */
    List<Outgoing> settle(long tag, boolean multiple) {
        NavigableMap<Long, Outgoing> settled =
                multiple ? inFlight.headMap(tag, true) : inFlight.subMap(tag, true, tag, true);
        List<Outgoing> all = new ArrayList<>(settled.values());
        settled.clear();
        for (Outgoing each : all) {
            newestSettled = proven ? Math.max(newestSettled, each.sentAt()) : each.sentAt();
            proven = true;
        }
        return all;
    }

    /** RabbitMQ sends a message back before it acknowledges it; the same message can be under way twice, to the same address. */
    void giveBack(String messageId, String why) {
        for (Outgoing each : inFlight.values()) {
            if (each.id().equals(messageId) && each.returned() == null) {
                each.returned(why);
                return;
            }
        }
    }

    boolean forget(Outgoing outgoing) {
        return inFlight.values().remove(outgoing);
    }

    /** @return what was in flight; the next message opens another channel */
    List<Outgoing> dropChannel() {
        channel = null;
        alone = false;
        List<Outgoing> all = new ArrayList<>(inFlight.values());
        inFlight.clear();
        return all;
    }

    /** @return what was in flight; nothing of it is sent any more */
    List<Outgoing> drop() {
        cut();
        return dropChannel();
    }

    /** In good order, RabbitMQ having got everything. */
    void close(Duration atMost) {
        connection.abort(Math.toIntExact(atMost.toMillis()));
    }

    /**
     * Ends the connection at once, also for a thread that is stuck writing to it. What the kernel has not sent yet is thrown away, so
     * that it does not arrive after it has failed.
     */
    void cut() {
        Socket now = socket;
        if (now != null) {
            try {
                now.setSoLinger(true, 0);
            } catch (IOException closedAlready) {
                // Then it needs no cutting.
            }
            try {
                now.close();
            } catch (IOException closedAnyway) {
                // There is nobody to whom it would matter.
            }
        }
    }
}
