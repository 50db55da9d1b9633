package org.pgbaton.spring.listener;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogException;
import org.pgbaton.log.Message;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.spring.transaction.SpringTransactions;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.typed.MessageTypes;
import org.pgbaton.typed.TypedProjection;
import org.pgbaton.typed.TypedReaction;
import org.pgbaton.typed.UnknownType;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** A subscription whose handler is a method, or several methods with a payload class each. Can be started again after it was closed. */
final class ListenerSubscription {
    private final ListenerSubscriptions services;
    private final List<ListenerMethod> methods;
    private final ListenerMethod first;
    private final BatonListener annotation;
    private final @Nullable MessageTypes types;
    private final String name;
    private final ListenerObserver.Called called;
    private final ListenerFailures failures;
    private final @Nullable SpringTransactions transactions;

    ListenerSubscription(ListenerSubscriptions services, List<ListenerMethod> methods, @Nullable MessageTypes types) {
        this.services = services;
        this.methods = methods;
        this.types = types;
        this.first = methods.get(0);
        this.annotation = first.annotation();
        this.name = services.text(annotation.subscription());
        this.called = new ListenerObserver.Called(name, services.text(annotation.log()));
        this.failures = new ListenerFailures(name, annotation, services.errors());
        this.transactions =
                annotation.reaction() ? null : services.transactions().apply(annotation.transactionManager());
        describe(); // so that bad values are found before anything is started
    }

    Subscription start() {
        try {
            if (transactions != null) {
                transactions.requireFit();
            }
            return describe().start();
        } catch (LogException unknown) {
            throw new ListenerDeclarationException(first.method(), "cannot listen: " + unknown.getMessage(), unknown);
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new IllegalStateException("The listener " + first + " cannot be started.", failed);
        }
    }

    private SubscriptionBuilder describe() {
        try {
            SubscriptionBuilder builder = services.baton()
                    .subscription(name)
                    .order(annotation.order())
                    .mode(annotation.mode());
            builder.from(annotation.fromNow() ? Start.now() : Start.origin());
            options(builder);
            handler(builder);
            return builder.on(called.log());
        } catch (IllegalArgumentException refused) {
            throw new ListenerDeclarationException(first.method(), "cannot listen: " + refused.getMessage(), refused);
        }
    }

    private void options(SubscriptionBuilder builder) {
        String[] wanted = Arrays.stream(annotation.types()).map(services::text).toArray(String[]::new);
        if (wanted.length > 0) {
            builder.types(wanted);
        }
        given(annotation.keyPrefix(), builder::keyPrefix);
        given(annotation.target(), builder::target);
        given(annotation.handlerLimit(), text -> builder.handlerLimit(duration("handlerLimit", text)));
        given(annotation.slowKey(), text -> builder.slowKey(duration("slowKey", text)));
        if (annotation.batch() != 0) {
            builder.batch(annotation.batch());
        }
        if (annotation.workers() != 0) {
            builder.workers(annotation.workers());
        }
        if (annotation.attempts() != 0) {
            builder.attempts(annotation.attempts());
        }
        if (services.threads() != null) {
            builder.executor(services.threads());
        }
        if (transactions != null) {
            builder.transactions(transactions);
        }
    }

    private void given(String value, Consumer<String> set) {
        String text = services.text(value);
        if (!text.isEmpty()) {
            set.accept(text);
        }
    }

    private static Duration duration(String attribute, String text) {
        try {
            return DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException unreadable) {
            throw new IllegalArgumentException(
                    attribute + " = \"" + text + "\" is no time: write 500ms, 30s, 5m or PT5M.", unreadable);
        }
    }

    private void handler(SubscriptionBuilder builder) {
        if (first.parameters().isBatch()) {
            batches(builder);
        } else if (types != null) {
            typed(builder, types);
        } else if (annotation.reaction()) {
            builder.react((message, delivery) -> call(first, message, null, delivery));
        } else {
            builder.project((message, connection) -> call(first, message, null, connection));
        }
    }

    private void batches(SubscriptionBuilder builder) {
        if (annotation.reaction()) {
            builder.reactToBatches(this::callWithBatch);
        } else {
            builder.projectBatches(this::callWithBatch);
        }
    }

    private void callWithBatch(List<Message> messages, Object context) throws Exception {
        Object[] arguments = first.parameters().forBatch(messages, first.payloads(types, messages), context);
        services.observer().observe(called, null, () -> first.call(failures, transactions, arguments));
    }

    private void call(ListenerMethod method, Message message, @Nullable Object value, Object context) throws Exception {
        Object[] arguments = method.parameters().forOne(message, value, context);
        services.observer().observe(called, message, () -> method.call(failures, transactions, arguments));
    }

    private void typed(SubscriptionBuilder builder, MessageTypes known) {
        String[] names;
        if (annotation.reaction()) {
            TypedReaction reaction = TypedReaction.with(known).unknown(annotation.unknown());
            for (ListenerMethod method : methods) {
                reaction = reaction.on(
                        payload(method), (value, message, delivery) -> call(method, message, value, delivery));
            }
            builder.react(reaction);
            names = reaction.types();
        } else {
            TypedProjection projection = TypedProjection.with(known).unknown(annotation.unknown());
            for (ListenerMethod method : methods) {
                projection = projection.on(
                        payload(method), (value, message, connection) -> call(method, message, value, connection));
            }
            builder.project(projection);
            names = projection.types();
        }
        if (annotation.unknown() == UnknownType.SKIP && annotation.types().length == 0) {
            builder.types(names); // so that the others are not even read
        }
    }

    private static Class<?> payload(ListenerMethod method) {
        return Objects.requireNonNull(method.parameters().payload());
    }
}
