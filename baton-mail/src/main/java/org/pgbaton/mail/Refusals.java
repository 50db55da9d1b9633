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
import org.pgbaton.publishing.LocalRefusals;
import org.pgbaton.publishing.Redaction;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * The verdict on a mail that was not taken. A recipient or a content that is refused for good (5xx) concerns this message alone. A refusal
 * that passes (4xx), or that would hit every message, such as that of a login or a sender, is an outage. Causes are not passed on: they may
 * repeat secrets. Immutable.
 */
final class Refusals {
    /** A login is required, is too weak, is wrong, or is required over TLS. */
    private static final Set<Integer> OF_THE_LOGIN = Set.of(530, 534, 535, 538);

    private static final int MOST_TEXT = 200;

    private final String server;

    Refusals(String server) {
        this.server = server;
    }

    /** @param timeUp whether we ended the connection ourselves */
    HandlerException of(MessagingException failure, Redaction redaction, boolean timeUp, Duration limit) {
        List<Exception> chain = chain(failure);
        if (timeUp || has(chain, SocketTimeoutException.class)) {
            return late(limit);
        }
        if (has(chain, AuthenticationFailedException.class)) {
            return failed(Verdict.OUTAGE, " refuses the login" + said(redaction, failure.getMessage()));
        }
        for (Exception each : chain) {
            HandlerException refusal = refusal(each, redaction);
            if (refusal != null) {
                return refusal;
            }
        }
        for (Exception each : chain) {
            if (each instanceof SSLException) {
                return failed(Verdict.OUTAGE, " cannot be trusted" + said(redaction, each.getMessage()));
            }
        }
        Exception last = chain.get(chain.size() - 1);
        return failed(
                Verdict.OUTAGE,
                " cannot be reached" + said(redaction, (last instanceof IOException ? last : failure).getMessage()));
    }

    private @Nullable HandlerException refusal(Exception failure, Redaction redaction) {
        boolean ofTheSender = failure instanceof SMTPSenderFailedException
                || (failure instanceof SMTPSendFailedException theirs
                        && String.valueOf(theirs.getCommand()).startsWith("MAIL"));
        if (ofTheSender) {
            return failed(Verdict.OUTAGE, " refuses the sender" + said(redaction, failure.getMessage()));
        }
        if (failure instanceof SMTPAddressFailedException theirs) {
            return byCode(theirs.getReturnCode(), " refuses the recipient" + said(redaction, theirs.getMessage()));
        }
        // If recipients are refused, the first exception of the chain only sums up.
        if (failure instanceof SMTPSendFailedException theirs
                && !(theirs.getNextException() instanceof MessagingException)) {
            return byCode(theirs.getReturnCode(), " refuses the message" + said(redaction, theirs.getMessage()));
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

    /** {@code ": 550 no such user"}, or nothing. */
    private static String said(Redaction redaction, @Nullable String text) {
        String shown = redaction.shown(text == null ? "" : text, MOST_TEXT);
        return shown.isEmpty() ? "" : ": " + shown;
    }

    HandlerException late(Duration limit) {
        return failed(Verdict.OUTAGE, " did not answer within " + limit.toMillis() + " ms");
    }

    HandlerException closed() {
        return new LocalRefusals(server).closed();
    }

    HandlerException tooLarge(int characters, int most) {
        return new LocalRefusals(server).tooLarge(characters, most, "characters", "maxSize");
    }

    HandlerException busy(Duration pause) {
        return new HandlerException(Verdict.PAUSE, server + " has enough to do for now.", null, pause);
    }

    HandlerException failed(Verdict verdict, String sentence) {
        return new HandlerException(verdict, server + sentence);
    }
}
