package org.pgbaton.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.Redaction;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * The verdict on an endpoint's answer, or on a missing answer. It depends on whether the answer is about this message
 * or about all of them: docs/webhooks.md has the table. Causes are not passed on, because they may repeat secrets; the
 * sentence repeats their message without the secrets. Immutable.
 */
final class WebhookVerdicts {
    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
    private static final int MOST_TEXT = 200;

    private final Endpoint endpoint;
    private final Redaction redaction;

    WebhookVerdicts(Endpoint endpoint, Redaction redaction) {
        this.endpoint = endpoint;
        this.redaction = redaction;
    }

    /**
     * @param text the answer's text, as it came
     * @return null if the message is published
     */
    @Nullable
    HandlerException of(int status, Head head, String text) {
        if (status >= 200 && status < 300) {
            return null;
        }
        String said = said(text);
        return switch (status) {
            case 400, 413, 414, 415, 422, 431 -> failed(Verdict.PARK, " refuses this message (" + status + ")" + said);
            case 410 ->
                failed(
                        Verdict.STOP,
                        " is gone (410)" + said + ". Resume the subscription when there is an endpoint again.");
            case 429, 503 -> busy(status, pause(head.value("Retry-After")), said);
            case 502, 504 -> failed(Verdict.OUTAGE, " is away (" + status + ")" + said);
            case 408, 409, 425 -> failed(Verdict.RETRY, " did not take the message (" + status + ")" + said);
            default -> byClass(status, head, said);
        };
    }

    /** A header of the answer. */
    interface Head {
        @Nullable
        String value(String name);
    }

    private HandlerException byClass(int status, Head head, String said) {
        if (status >= 500) {
            return failed(Verdict.RETRY, " failed (" + status + ")" + said);
        }
        if (status >= 400 || status < 200) {
            return failed(
                    Verdict.OUTAGE,
                    " answers " + status + said
                            + ". It will take nothing until its address, its settings or ours are put right.");
        }
        // Redacted before it is parsed: the parser writes hosts in lower case, and then a secret would not be found.
        String location = redaction.shown(Objects.toString(head.value("Location"), ""), Integer.MAX_VALUE);
        return failed(
                Verdict.STOP,
                " sends us on to " + endpoint.hostOf(location) + " (" + status
                        + "), and redirects are not followed. Configure the address that is right, and resume the subscription.");
    }

    private HandlerException busy(int status, Duration pause, String said) {
        String asks = pause.isZero() ? "" : " and asks for a pause of " + pause.toSeconds() + " s";
        return new HandlerException(Verdict.OUTAGE, endpoint + " is busy (" + status + ")" + asks + said, null, pause);
    }

    private HandlerException failed(Verdict verdict, String sentence) {
        return new HandlerException(verdict, endpoint + sentence);
    }

    private String said(String text) {
        String shown = redaction.shown(text, MOST_TEXT);
        return shown.isEmpty() ? "" : ": " + shown;
    }

    /** Zero if the answer asks for no pause, or for one that cannot be parsed. */
    private static Duration pause(@Nullable String retryAfter) {
        if (retryAfter == null) {
            return Duration.ZERO;
        }
        Duration asked;
        String text = retryAfter.strip();
        if (text.matches("\\d{1,9}")) {
            asked = Duration.ofSeconds(Long.parseLong(text));
        } else if (text.matches("\\d+")) {
            asked = LONGEST_PAUSE;
        } else {
            try {
                Instant then = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
                asked = Duration.between(Instant.now(), then);
            } catch (DateTimeParseException unreadable) {
                return Duration.ZERO;
            }
        }
        return asked.isNegative() ? Duration.ZERO : asked.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : asked;
    }

    /**
     * The request was sent, and there was no answer in time. The message itself may be the reason.
     *
     * @param toAnybody whether the endpoint answers no message at all
     */
    HandlerException none(Duration limit, boolean toAnybody) {
        String sentence = " did not answer within " + limit.toMillis() + " ms";
        return toAnybody
                ? failed(Verdict.OUTAGE, sentence + ", neither this message nor another")
                : failed(Verdict.RETRY, sentence);
    }

    /** @param limit the time limit, for the sentence */
    HandlerException of(IOException failure, Duration limit) {
        if (failure instanceof CheckedDns.Refused) {
            return failed(
                    Verdict.STOP,
                    " is not allowed: " + failure.getMessage()
                            + ". Nothing was sent. Find out who changed that name, and resume the subscription.");
        }
        if (failure instanceof InterruptedIOException) {
            return failed(Verdict.OUTAGE, " could not be connected within " + limit.toMillis() + " ms");
        }
        String kind = failure.getClass().getSimpleName();
        return failed(Verdict.OUTAGE, " cannot be reached: " + kind + said(Objects.toString(failure.getMessage(), "")));
    }
}
