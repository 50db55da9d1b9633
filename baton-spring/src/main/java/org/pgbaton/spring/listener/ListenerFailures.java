package org.pgbaton.spring.listener;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.ListenerErrors;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * What a listener's exceptions mean: by the attributes of its annotation, by the application's {@link ListenerErrors}, else by Baton's
 * default. The exception itself counts before its causes, and the nearest class before its superclasses. Thread-safe.
 */
final class ListenerFailures {
    private record Rule(Class<? extends Throwable> type, Verdict verdict) {}

    private final String subscription;
    private final List<Rule> rules = new ArrayList<>();
    private final @Nullable ListenerErrors errors;

    ListenerFailures(String subscription, BatonListener annotation, @Nullable ListenerErrors errors) {
        this.subscription = subscription;
        this.errors = errors;
        add(annotation.retryOn(), Verdict.RETRY);
        add(annotation.parkOn(), Verdict.PARK);
        add(annotation.outageOn(), Verdict.OUTAGE);
        add(annotation.stopOn(), Verdict.STOP);
    }

    private void add(Class<? extends Throwable>[] types, Verdict verdict) {
        for (Class<? extends Throwable> type : types) {
            rules.add(new Rule(type, verdict));
        }
    }

    /** @return the exception to throw in its place */
    Throwable translated(Throwable failure) {
        if (failure instanceof HandlerException || failure instanceof Error) {
            return failure;
        }
        Verdict verdict = byRules(failure);
        if (verdict == null && errors != null) {
            verdict = errors.verdict(subscription, failure);
        }
        return verdict == null ? failure : new HandlerException(verdict, failure.toString(), failure);
    }

    private @Nullable Verdict byRules(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Class<?> type = cause.getClass(); type != null; type = type.getSuperclass()) {
                Class<?> wanted = type;
                Rule rule = rules.stream()
                        .filter(each -> each.type() == wanted)
                        .findFirst()
                        .orElse(null);
                if (rule != null) {
                    return rule.verdict();
                }
            }
        }
        return null;
    }
}
