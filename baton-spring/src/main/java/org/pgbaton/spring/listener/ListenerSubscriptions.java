package org.pgbaton.spring.listener;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.spring.ListenerErrors;
import org.pgbaton.spring.transaction.SpringTransactions;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.MessageTypes;
import org.springframework.util.StringValueResolver;

/**
 * Makes subscriptions of listener methods, with what the application has for all of them. Immutable.
 *
 * @param codecs null if there is no JSON library
 * @param types null if the application names no types; then a payload class is its simple name
 * @param errors null if the application has no opinion
 * @param threads for handlers; null for Baton's own
 * @param transactions by the name of a transaction manager bean, empty for the one of Baton's data source
 * @param texts resolves placeholders
 * @param observer sees each call
 */
public record ListenerSubscriptions(
        Baton baton,
        @Nullable Codecs codecs,
        @Nullable MessageTypes types,
        @Nullable ListenerErrors errors,
        @Nullable Executor threads,
        Function<String, SpringTransactions> transactions,
        StringValueResolver texts,
        ListenerObserver observer) {

    ListenerSubscription of(List<ListenerMethod> methods) {
        ListenerMethod first = methods.get(0);
        for (ListenerMethod other : methods.subList(1, methods.size())) {
            requireTogether(first, other);
        }
        return new ListenerSubscription(this, methods, typesOf(methods));
    }

    private static void requireTogether(ListenerMethod first, ListenerMethod other) {
        String name = other.annotation().subscription();
        if (!first.annotation().equals(other.annotation())) {
            throw new ListenerDeclarationException(
                    other.method(),
                    "has the subscription '" + name + "', as " + first
                            + " has, but with other attributes: give both the same ones, or another subscription.",
                    null);
        }
        boolean typed =
                first.parameters().payload() != null && other.parameters().payload() != null;
        if (!typed || first.parameters().isBatch() || other.parameters().isBatch()) {
            throw new ListenerDeclarationException(
                    other.method(),
                    "has the subscription '" + name + "', as " + first
                            + " has: each of them needs a payload class of its own and takes one message, or give one of them"
                            + " another subscription.",
                    null);
        }
    }

    private @Nullable MessageTypes typesOf(List<ListenerMethod> methods) {
        Method method = methods.get(0).method();
        if (methods.get(0).parameters().payload() == null) {
            return null;
        }
        if (types != null) {
            return types;
        }
        if (codecs == null) {
            throw new ListenerDeclarationException(
                    method,
                    "wants its payload as an object, and there is no Codecs bean: add baton-jackson3 (Spring Boot 4) or"
                            + " baton-jackson2 (Spring Boot 3), or take the Message.",
                    null);
        }
        MessageTypes.Builder builder = MessageTypes.with(codecs);
        try {
            methods.forEach(each -> builder.add(
                    java.util.Objects.requireNonNull(each.parameters().payload())));
            return builder.build();
        } catch (IllegalArgumentException refused) {
            throw new ListenerDeclarationException(method, "cannot get its payload: " + refused.getMessage(), refused);
        }
    }

    String text(String value) {
        String resolved = texts.resolveStringValue(value);
        return resolved == null ? "" : resolved;
    }
}
