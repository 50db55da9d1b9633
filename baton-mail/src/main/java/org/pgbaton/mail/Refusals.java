package org.pgbaton.mail;

import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * What it means that a mail was not taken. A recipient or a content that is refused for good (5xx) is this message's trouble; whatever
 * passes (4xx), and what would hit every message, a login or a sender that is refused, is the server's. Causes are not passed on: they
 * may repeat secrets. Immutable.
 */
final class Refusals {
    /** The login is wanted, too weak, wrong, or wanted over TLS. */
    private static final Set<Integer> OF_THE_LOGIN = Set.of(530, 534, 535, 538);

    private final String server;

    Refusals(String server) {
        this.server = server;
    }

    /** @param timeUp whether we have ended it ourselves */
    HandlerException of(MessagingException failure, Redaction redaction, boolean timeUp, Duration limit) {
        List<Exception> chain = chain(failure);
        if (timeUp || has(chain, SocketTimeoutException.class)) {
            return late(limit);
        }
        if (has(chain, AuthenticationFailedException.class)) {
            return failed(Verdict.OUTAGE, " refuses the login" + redaction.said(failure.getMessage()));
        }
        for (Exception each : chain) {
            HandlerException refusal = refusal(each, redaction);
            if (refusal != null) {
                return refusal;
            }
        }
        for (Exception each : chain) {
            if (each instanceof SSLException) {
                return failed(Verdict.OUTAGE, " cannot be trusted" + redaction.said(each.getMessage()));
            }
        }
        Exception last = chain.get(chain.size() - 1);
        return failed(
                Verdict.OUTAGE,
                " cannot be reached" + redaction.said((last instanceof IOException ? last : failure).getMessage()));
    }

    private @Nullable HandlerException refusal(Exception failure, Redaction redaction) {
        boolean ofTheSender = failure instanceof SMTPSenderFailedException
                || (failure instanceof SMTPSendFailedException theirs
                        && String.valueOf(theirs.getCommand()).startsWith("MAIL"));
        if (ofTheSender) {
            return failed(Verdict.OUTAGE, " refuses the sender" + redaction.said(failure.getMessage()));
        }
        if (failure instanceof SMTPAddressFailedException theirs) {
            return byCode(theirs.getReturnCode(), " refuses the recipient" + redaction.said(theirs.getMessage()));
        }
        // With recipients that are refused, the first of the chain only sums up.
        if (failure instanceof SMTPSendFailedException theirs
                && !(theirs.getNextException() instanceof MessagingException)) {
            return byCode(theirs.getReturnCode(), " refuses the message" + redaction.said(theirs.getMessage()));
        }
        return null;
    }

    private HandlerException byCode(int code, String sentence) {
        boolean forGood = code >= 500 && code < 600 && !OF_THE_LOGIN.contains(code);
        return failed(forGood ? Verdict.PARK : Verdict.OUTAGE, sentence);
    }

    private static List<Exception> chain(MessagingException failure) {
        List<Exception> chain = new ArrayList<>();
        Exception next = failure;
        while (next != null && chain.size() < 100) {
            chain.add(next);
            next = next instanceof MessagingException more && more.getNextException() != null
                    ? more.getNextException()
                    : next.getCause() instanceof Exception cause ? cause : null;
        }
        return chain;
    }

    private static boolean has(List<Exception> chain, Class<? extends Exception> kind) {
        return chain.stream().anyMatch(kind::isInstance);
    }

    HandlerException late(Duration limit) {
        return failed(Verdict.OUTAGE, " did not answer within " + limit.toMillis() + " ms");
    }

    HandlerException closed() {
        return failed(Verdict.OUTAGE, " is closed on our side: nothing is sent any more");
    }

    HandlerException tooLarge(int characters, int most) {
        return failed(
                Verdict.PARK,
                " is sent at most " + most + " characters (maxSize), and this message has " + characters
                        + ": raise the limit and retry the key, or skip the message");
    }

    HandlerException busy(Duration pause) {
        return new HandlerException(Verdict.PAUSE, server + " has enough to do for now.", null, pause);
    }

    HandlerException failed(Verdict verdict, String sentence) {
        return new HandlerException(verdict, server + sentence);
    }
}
