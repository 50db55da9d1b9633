package org.pgbaton.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.Verdict;

/** What RabbitMQ's refusals mean. */
final class AmqpVerdicts {
    private AmqpVerdicts() {}

    /** The reply code, or 0 if it was not RabbitMQ that ended it. */
    private static int code(ShutdownSignalException signal) {
        Method reason = signal.getReason();
        if (reason instanceof AMQP.Channel.Close close) {
            return close.getReplyCode();
        }
        return reason instanceof AMQP.Connection.Close close ? close.getReplyCode() : 0;
    }

    /** Whether RabbitMQ ended it because of something that was sent; not because of an operator, a shutdown or the network. */
    static boolean blamesAMessage(ShutdownSignalException signal) {
        return switch (code(signal)) {
            case 0, AMQP.REPLY_SUCCESS, AMQP.CONNECTION_FORCED, AMQP.NOT_ALLOWED, AMQP.INTERNAL_ERROR -> false;
            default -> true;
        };
    }

    /**
     * For the only message that was in flight.
     *
     * @param oneExchange whether all messages go to the same exchange
     */
    static Verdict of(ShutdownSignalException signal, boolean oneExchange) {
        return switch (code(signal)) {
            // No such exchange, or no right to write to it.
            case AMQP.NOT_FOUND, AMQP.ACCESS_REFUSED -> oneExchange ? Verdict.OUTAGE : Verdict.RETRY;
            // Larger than allowed, or not valid in AMQP.
            case AMQP.PRECONDITION_FAILED,
                    AMQP.CONTENT_TOO_LARGE,
                    AMQP.FRAME_ERROR,
                    AMQP.SYNTAX_ERROR,
                    AMQP.UNEXPECTED_FRAME -> Verdict.PARK;
            default -> Verdict.RETRY;
        };
    }

    /** What happened, in the words of RabbitMQ or the client. */
    static String words(@Nullable Throwable failure) {
        if (failure instanceof ShutdownSignalException signal) {
            Method reason = signal.getReason();
            if (reason instanceof AMQP.Channel.Close close) {
                return close.getReplyText();
            }
            if (reason instanceof AMQP.Connection.Close close) {
                return close.getReplyText();
            }
            return signal.getCause() == null ? "the connection was closed" : words(signal.getCause());
        }
        if (failure == null) {
            return "the connection was closed";
        }
        String message = failure.getMessage();
        if (message == null || message.isBlank()) {
            return failure.getCause() == null ? failure.getClass().getSimpleName() : words(failure.getCause());
        }
        // The message of an UnknownHostException is the host alone.
        return failure instanceof java.net.UnknownHostException ? "unknown host " + message : message;
    }
}
