package org.pgbaton.dashboard.act;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Viewer;
import org.pgbaton.dashboard.look.Details;
import org.pgbaton.dashboard.look.Snapshot;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Confirmation;
import org.pgbaton.log.LogException;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.Subscriptions;

/**
 * What an operator can do from a page or by the API. Each action first states its impact in numbers, and is recorded under the viewer's name
 * with the reason. Thread-safe.
 */
public final class Operations {
    /** Every action, by its name in requests. */
    public static final List<String> ALL =
            List.of("pause", "resume", "retry", "retry-all", "skip", "redact", "pause-capture", "resume-capture");

    private static final int LONGEST_NAME = 100;

    private final Baton baton;
    private final Details details;
    private final BoundedWait wait = new BoundedWait();

    public Operations(Baton baton, Details details) {
        this.baton = baton;
        this.details = details;
    }

    /** What the action would do, and to how much. */
    public Confirmation confirmation(String action, Map<String, String> fields, Snapshot now) {
        return switch (action) {
            case "pause" -> pause(fields, now);
            case "resume" -> resume(fields, now);
            case "retry" -> retry(fields, now);
            case "retry-all" -> retryAll(fields, now);
            case "skip" -> skip(fields, now);
            case "redact" -> redact(fields);
            case "pause-capture" -> pauseCapture(fields);
            case "resume-capture" -> resumeCapture(fields);
            default -> throw unknown(action);
        };
    }

    private static Confirmation pause(Map<String, String> fields, Snapshot now) {
        Subscription each = subscription(fields, now);
        return question(
                "Pause ‘" + each.title() + "’?",
                "Its " + count(each.members().size(), "member") + " begin nothing new until it is resumed. "
                        + count(each.behind(), "row") + " wait now.",
                "Pause",
                false,
                "pause",
                fields);
    }

    private static Confirmation resume(Map<String, String> fields, Snapshot now) {
        Subscription each = subscription(fields, now);
        return question(
                "Resume ‘" + each.title() + "’?",
                "It goes on where it was: " + count(each.behind(), "row") + " wait. It was " + each.state()
                        + (each.note() == null ? "." : ": " + each.note()),
                "Resume",
                false,
                "resume",
                fields);
    }

    private Confirmation retry(Map<String, String> fields, Snapshot now) {
        ParkedKey key = key(fields, now);
        return question(
                "Retry key ‘" + shortened(key.key()) + "’?",
                "Message " + key.head() + " is tried again at once, with all its attempts; then the "
                        + count(key.waiting() - 1, "message") + " behind it.",
                "Retry",
                false,
                "retry",
                fields);
    }

    private static Confirmation redact(Map<String, String> fields) {
        return question(
                "Redact message " + position(fields) + "?",
                "Payload and headers of message " + position(fields) + " of log ‘" + required(fields, "log")
                        + "’ are blanked for good, for every subscription. What was sent already stays where it is.",
                "Redact for good",
                true,
                "redact",
                fields);
    }

    private static Confirmation pauseCapture(Map<String, String> fields) {
        return question(
                "Pause capture ‘" + required(fields, "capture") + "’?",
                "No change comes into its log until it is resumed. The server keeps all WAL meanwhile, which can fill its disk.",
                "Pause",
                false,
                "pause-capture",
                fields);
    }

    private static Confirmation resumeCapture(Map<String, String> fields) {
        return question(
                "Resume capture ‘" + required(fields, "capture") + "’?",
                "A process reads on where it was.",
                "Resume",
                false,
                "resume-capture",
                fields);
    }

    private Confirmation retryAll(Map<String, String> fields, Snapshot now) {
        Subscription each = subscription(fields, now);
        String error = given(fields, "error");
        int keys = details.toRetry(each.name(), each.target(), error);
        return question(
                "Retry " + count(keys, "key") + " of ‘" + each.name() + "’?",
                "This tries " + count(keys, "key") + " of ‘" + each.name() + "’ again at once, with all their attempts"
                        + (error == null ? "" : ": those whose error contains ‘" + error + "’")
                        + ". " + count(each.waiting(), "message") + " wait in this subscription.",
                "Retry " + count(keys, "key"),
                false,
                "retry-all",
                fields);
    }

    private Confirmation skip(Map<String, String> fields, Snapshot now) {
        ParkedKey key = key(fields, now);
        long position = position(fields);
        if (key.head() != position) {
            throw new RefusedException(
                    409,
                    "Key '" + shortened(key.key()) + "' is blocked by message " + key.head() + " now, not by "
                            + position + "; only the first can be skipped. Look again.");
        }
        return question(
                "Skip message " + position + "?",
                "This skips message " + position + " of key ‘" + shortened(key.key()) + "’ in ‘" + key.subscription()
                        + "’ for good: it will never be handled there. "
                        + count(key.waiting() - 1, "message") + " of that key "
                        + (key.waiting() == 2 ? "goes" : "go") + " on after it.",
                "Skip for good",
                true,
                "skip",
                fields);
    }

    private static Confirmation question(
            String title, String impact, String verb, boolean danger, String action, Map<String, String> fields) {
        Map<String, String> sent = new LinkedHashMap<>();
        sent.put("action", action);
        for (String name : List.of("subscription", "target", "key", "position", "error", "log", "capture")) {
            if (fields.containsKey(name)) {
                sent.put(name, String.valueOf(fields.get(name)));
            }
        }
        return new Confirmation(title, impact, verb, danger, danger, sent);
    }

    /**
     * Does it. Returns what was done, in a sentence.
     *
     * @throws RefusedException if it cannot be done; or if the database does not answer, which leaves open whether it is done
     */
    public String perform(String action, Map<String, String> fields, Viewer viewer) throws InterruptedException {
        String reason = reason(action, fields);
        String who = recordedName(viewer);
        try {
            return wait.forResult(() -> perform(action, fields, who, reason));
        } catch (SubscriptionException | CaptureException | LogException refused) {
            throw new RefusedException(409, String.valueOf(refused.getMessage()));
        }
    }

    private String perform(String action, Map<String, String> fields, String who, String reason) {
        switch (action) {
            case "pause" -> {
                subscriptions(fields, who).pause(required(fields, "subscription"), reason);
                return "Subscription '" + required(fields, "subscription") + "' is paused.";
            }
            case "resume" -> {
                subscriptions(fields, who).resume(required(fields, "subscription"), reason);
                return "Subscription '" + required(fields, "subscription") + "' goes on.";
            }
            case "retry" -> {
                boolean waits = subscriptions(fields, who)
                        .retry(required(fields, "subscription"), required(fields, "key"), reason);
                return waits ? "The key is tried again now." : "The key does not wait any more.";
            }
            case "retry-all" -> {
                int keys = subscriptions(fields, who)
                        .retryAll(required(fields, "subscription"), given(fields, "error"), reason);
                return keys == 1 ? "1 key is tried again now." : number(keys) + " keys are tried again now.";
            }
            case "skip" -> {
                subscriptions(fields, who)
                        .skip(required(fields, "subscription"), required(fields, "key"), position(fields), reason);
                return "Message " + position(fields) + " is skipped; the key goes on with the next.";
            }
            case "redact" -> {
                baton.logs().redact(required(fields, "log"), position(fields), who, reason);
                return "The payload of message " + position(fields) + " is blanked.";
            }
            case "pause-capture" -> {
                baton.captures().by(who).pause(required(fields, "capture"), reason);
                return "Capture '" + required(fields, "capture") + "' is paused.";
            }
            case "resume-capture" -> {
                baton.captures().by(who).resume(required(fields, "capture"), reason);
                return "Capture '" + required(fields, "capture") + "' goes on.";
            }
            default -> throw unknown(action);
        }
    }

    private Subscriptions subscriptions(Map<String, String> fields, String who) {
        String target = target(fields);
        Subscriptions all = baton.subscriptions().by(who);
        return target == null ? all : all.ofTarget(target);
    }

    /** A name from a proxy may be long. */
    private static String recordedName(Viewer viewer) {
        String name = viewer.name() + " (dashboard)";
        return name.length() <= LONGEST_NAME ? name : viewer.name().substring(0, LONGEST_NAME - 12) + " (dashboard)";
    }

    private static String reason(String action, Map<String, String> fields) {
        String reason = given(fields, "reason");
        if (reason == null && (action.equals("skip") || action.equals("redact"))) {
            throw new RefusedException(
                    400, "A reason is needed, because this cannot be undone: give it in the field 'reason'.");
        }
        return reason == null ? "no reason given" : reason;
    }

    private static Subscription subscription(Map<String, String> fields, Snapshot now) {
        String name = required(fields, "subscription");
        return now.subscription(name, target(fields))
                .orElseThrow(() -> new RefusedException(404, "There is no subscription '" + shortened(name) + "'."));
    }

    private ParkedKey key(Map<String, String> fields, Snapshot now) {
        String key = required(fields, "key");
        String subscription = required(fields, "subscription");
        String target = now.subscription(subscription, target(fields))
                .map(Subscription::target)
                .orElse("");
        return details.parkedKey(subscription, target, key)
                .orElseThrow(() -> new RefusedException(
                        404,
                        "Key '" + shortened(key) + "' does not wait in subscription '" + shortened(subscription)
                                + "'."));
    }

    /** Null for the live one. An empty one is a target, too: the first one of a subscription has no name. */
    private static @Nullable String target(Map<String, String> fields) {
        return fields.get("target");
    }

    private static long position(Map<String, String> fields) {
        String text = required(fields, "position");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException noNumber) {
            throw new RefusedException(400, "'" + shortened(text) + "' is no position: give a whole number.");
        }
    }

    private static @Nullable String given(Map<String, String> fields, String name) {
        String value = fields.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    /** A key may begin or end with blanks, so it is taken as it is. */
    private static String required(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null || value.isEmpty()) {
            throw new RefusedException(400, "The field '" + name + "' is missing.");
        }
        return value;
    }

    private static RefusedException unknown(String action) {
        return new RefusedException(
                404, "There is no action '" + shortened(action) + "'; there are " + String.join(", ", ALL) + ".");
    }

    private static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 59) + "…";
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String count(long number, String what) {
        return number(number) + " " + what + (number == 1 ? "" : "s");
    }
}
