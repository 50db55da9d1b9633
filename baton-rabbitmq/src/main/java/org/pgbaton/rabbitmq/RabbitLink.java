package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.BrokerLink;
import org.pgbaton.publishing.LinkEvents;
import org.pgbaton.publishing.LinkLostException;
import org.pgbaton.publishing.PendingMessage;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * One connection to RabbitMQ, with a channel in confirm mode.
 *
 * <ol>
 *   <li>A message is published when RabbitMQ has acknowledged it, and has not sent it back before. <li>When RabbitMQ
 *   closes the channel because of a message, it does not say which one. If several were in flight, all fail as an
 *   outage. From then on each of them is sent alone, so that the bad one can be found.
 * </ol>
 */
final class RabbitLink extends BrokerLink<AmqpEnvelope> {
    private final RabbitBroker broker;
    private final LinkEvents<AmqpEnvelope> events;
    private final SuspectMessages suspects;
    private final Connection connection;

    /** By the number that the channel gave them. */
    private final NavigableMap<Long, PendingMessage<AmqpEnvelope>> inFlight = new TreeMap<>();

    /**
     * By the same numbers: why RabbitMQ could not route a message. Such a message is acknowledged, too, but that does
     * not count.
     */
    private final Map<Long, String> returned = new HashMap<>();

    private @Nullable Channel channel;
    private boolean alone;

    private volatile @Nullable Socket socket;
    private volatile @Nullable String blocked;

    /**
     * @param suspects are known to all links of the publisher
     * @throws HandlerException if RabbitMQ cannot be reached
     */
    RabbitLink(RabbitBroker broker, LinkEvents<AmqpEnvelope> events, SuspectMessages suspects) {
        this.broker = broker;
        this.events = events;
        this.suspects = suspects;
        this.connection = broker.open(each -> this.socket = each);
        connection.addBlockedListener(reason -> this.blocked = reason, () -> {
            this.blocked = null;
            events.execute(() -> events.canSend(this));
        });
        connection.addShutdownListener(signal -> events.execute(() -> closed(signal)));
    }

    /**
     * A suspect is sent alone. So is a connection's first message: if RabbitMQ is blocked, only that message is left in
     * its buffers.
     */
    @Override
    protected boolean mayTake(PendingMessage<AmqpEnvelope> message) {
        return blocked == null
                && (inFlight.isEmpty() || (answers() && !alone && !suspects.contains(message.envelope())));
    }

    @Override
    protected void send(PendingMessage<AmqpEnvelope> message) throws LinkLostException {
        int most = connection.getFrameMax();
        if (most != 0 && message.envelope().headerSize() > most) {
            message.fail(new HandlerException(
                    Verdict.PARK,
                    "The headers of " + message + " have more than the " + most + " bytes of a frame that " + broker
                            + " takes."));
            return;
        }
        try {
            publish(message);
        } catch (ShutdownSignalException over) {
            // RabbitMQ closed the channel before. This message was not sent, and is not the reason.
            forget(message);
            message.fail(new HandlerException(Verdict.OUTAGE, broker.lost(over), over));
            if (!survives(over)) {
                throw new LinkLostException(broker.lost(over), over);
            }
        } catch (IOException failed) {
            throw new LinkLostException(broker.lost(failed), failed);
        } catch (RuntimeException unfit) {
            // From now on the numbers of the messages may be wrong.
            message.fail(new HandlerException(Verdict.PARK, "AMQP cannot carry " + message + ".", unfit));
            throw new LinkLostException("The connection to " + broker + " was given up over another message.", unfit);
        }
    }

    private void publish(PendingMessage<AmqpEnvelope> message) throws IOException {
        AmqpEnvelope envelope = message.envelope();
        Channel open = channel();
        alone = suspects.contains(envelope);
        sending(message);
        inFlight.put(open.getNextPublishSeqNo(), message);
        open.basicPublish(
                envelope.address().exchange(),
                envelope.address().routingKey(),
                broker.isMandatory(),
                envelope.properties(),
                envelope.body());
    }

    private Channel channel() throws IOException {
        Channel open = channel;
        if (open == null) {
            Channel opened = connection.createChannel();
            if (opened == null) {
                throw new IOException("RabbitMQ allows this connection no channel");
            }
            opened.confirmSelect();
            ConfirmCallback acknowledged = (tag, multiple) -> onChannel(opened, () -> confirmed(tag, multiple, true));
            ConfirmCallback refused = (tag, multiple) -> onChannel(opened, () -> confirmed(tag, multiple, false));
            opened.addConfirmListener(acknowledged, refused);
            opened.addReturnListener(back -> {
                String id = back.getProperties().getMessageId();
                onChannel(opened, () -> sentBack(id, back.getReplyText()));
            });
            opened.addShutdownListener(signal -> onChannel(opened, () -> closed(signal)));
            channel = opened;
            open = opened;
        }
        return open;
    }

    /** Events of a channel that was given up do not matter any more. */
    private void onChannel(Channel speaking, Runnable step) {
        events.execute(() -> {
            if (channel == speaking) {
                step.run();
            }
        });
    }

    /** @param multiple whether all messages up to this one are meant */
    private void confirmed(long tag, boolean multiple, boolean kept) {
        NavigableMap<Long, PendingMessage<AmqpEnvelope>> meant =
                multiple ? inFlight.headMap(tag, true) : inFlight.subMap(tag, true, tag, true);
        for (var each = meant.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Long, PendingMessage<AmqpEnvelope>> next = each.next();
            PendingMessage<AmqpEnvelope> message = next.getValue();
            String why = returned.remove(next.getKey());
            each.remove();
            settled(message);
            end(message, why, kept);
        }
        events.answered(this);
    }

    private void end(PendingMessage<AmqpEnvelope> message, @Nullable String why, boolean kept) {
        AmqpAddress address = message.envelope().address();
        if (!kept) {
            message.fail(new HandlerException(
                    Verdict.RETRY,
                    broker + " refused " + message + " for " + address + ": a queue could not take it, or is full."));
        } else if (why != null) {
            message.fail(new HandlerException(
                    Verdict.RETRY,
                    broker + " has no queue for " + message + " (" + why + "): declare and bind one for " + address
                            + ", or set mandatory(false)."));
        } else {
            suspects.clear(message.envelope());
            message.confirm();
        }
    }

    /** RabbitMQ sends a message back before it acknowledges it. The same message can be in flight twice, to the same address. */
    private void sentBack(String messageId, String why) {
        for (Map.Entry<Long, PendingMessage<AmqpEnvelope>> each : inFlight.entrySet()) {
            boolean same = each.getValue().envelope().id().equals(messageId);
            if (same && returned.putIfAbsent(each.getKey(), why) == null) {
                return;
            }
        }
    }

    private void closed(ShutdownSignalException signal) {
        if (survives(signal)) {
            events.canSend(this);
        } else {
            events.lost(this, broker.lost(signal), signal);
        }
    }

    /**
     * If RabbitMQ blames a message, ends all that were in flight.
     *
     * @return whether only the channel is closed, and the connection can go on with another
     */
    private boolean survives(ShutdownSignalException signal) {
        boolean blames = AmqpVerdicts.blamesAMessage(signal);
        if (blames) {
            List<PendingMessage<AmqpEnvelope>> struck = forgetAll();
            for (PendingMessage<AmqpEnvelope> each : struck) {
                suspects.add(each.envelope());
                each.fail(struck.size() == 1 ? refused(each, signal) : oneOf(struck.size(), signal));
            }
        }
        return blames && !signal.isHardError();
    }

    private HandlerException refused(PendingMessage<AmqpEnvelope> guilty, ShutdownSignalException signal) {
        AmqpAddress address = guilty.envelope().address();
        Verdict verdict = AmqpVerdicts.of(signal, broker.hasOneExchange());
        if (verdict != Verdict.PARK) {
            suspects.add(address);
        }
        return new HandlerException(
                verdict,
                broker + " does not take " + guilty + " for " + address + ": " + AmqpVerdicts.words(signal) + ".",
                signal);
    }

    private HandlerException oneOf(int number, ShutdownSignalException signal) {
        return new HandlerException(
                Verdict.OUTAGE,
                broker + " closed the channel over one of " + number + " messages: " + AmqpVerdicts.words(signal)
                        + ". They are sent again one by one.",
                signal);
    }

    @Override
    protected @Nullable String blocked() {
        return blocked;
    }

    @Override
    protected int inFlight() {
        return inFlight.size();
    }

    @Override
    protected boolean forget(PendingMessage<AmqpEnvelope> message) {
        return inFlight.values().remove(message);
    }

    /** The next message opens another channel. */
    @Override
    protected List<PendingMessage<AmqpEnvelope>> forgetAll() {
        channel = null;
        alone = false;
        returned.clear();
        List<PendingMessage<AmqpEnvelope>> all = new ArrayList<>(inFlight.values());
        inFlight.clear();
        return all;
    }

    @Override
    protected void cut() {
        Socket now = socket;
        if (now != null) {
            try {
                now.setSoLinger(true, 0);
            } catch (IOException closedAlready) {
                // The connection is closed, as intended.
            }
            try {
                now.close();
            } catch (IOException closedAnyway) {
                // Nothing else can be done about it.
            }
        }
    }

    @Override
    protected void close(Duration atMost) {
        if (inFlight.isEmpty()) {
            connection.abort(Math.toIntExact(atMost.toMillis()));
        }
        cut();
    }
}
