package org.pgbaton.spring.actuator;

import java.security.Principal;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.subscription.Subscriptions;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code /actuator/baton}: the status of everything in the database, and what operators do with subscriptions.
 *
 * <p>The actions exist only with {@code management.endpoint.baton.access=unrestricted}. Who may call is for the application's own
 * authorization to say. What was done is recorded with the name of the caller. A refusal is a sentence in {@code error}. Thread-safe.
 */
@WebEndpoint(id = "baton", defaultAccess = Access.READ_ONLY)
public final class BatonEndpoint {
    private final BatonStatus status;
    private final Subscriptions subscriptions;

    /** Of one database. */
    public BatonEndpoint(BatonStatus status, Subscriptions subscriptions) {
        this.status = status;
        this.subscriptions = subscriptions;
    }

    /** What {@code baton status --json} prints. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> status() {
        return answer(() -> ok(status.all()));
    }

    /** One subscription, and its parked keys. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> subscription(@Selector String name) {
        return answer(() -> {
            Map<String, Object> found = status.subscription(name);
            return found.isEmpty() ? unknown(name) : ok(found);
        });
    }

    /**
     * Does something with a subscription.
     *
     * @param action pause, resume, retry or skip
     * @param target of a target beside the live one
     * @param key to retry or skip; without it all keys are retried
     * @param position of the message to skip
     * @param error retries only keys whose error contains this text
     */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> act(
            SecurityContext caller,
            @Selector String name,
            String action,
            String reason,
            @Nullable @org.springframework.lang.Nullable String target,
            @Nullable @org.springframework.lang.Nullable String key,
            @Nullable @org.springframework.lang.Nullable Long position,
            @Nullable @org.springframework.lang.Nullable String error) {
        return answer(() -> {
            if (status.subscription(name).isEmpty()) {
                return unknown(name);
            }
            Subscriptions chosen = target == null ? subscriptions : subscriptions.ofTarget(target);
            String why = reason + by(caller.getPrincipal());
            return switch (action) {
                case "pause" -> {
                    chosen.pause(name, why);
                    yield done("paused", 1);
                }
                case "resume" -> {
                    chosen.resume(name, why);
                    yield done("resumed", 1);
                }
                case "retry" -> retry(chosen, name, key, error, why);
                case "skip" -> skip(chosen, name, key, position, why);
                default ->
                    refused(
                            WebEndpointResponse.STATUS_BAD_REQUEST,
                            "There is no action '" + action + "': give pause, resume, retry or skip.");
            };
        });
    }

    private static WebEndpointResponse<Map<String, Object>> retry(
            Subscriptions chosen, String name, @Nullable String key, @Nullable String error, String why) {
        if (key == null) {
            return done("retried", chosen.retryAll(name, error, why));
        }
        return chosen.retry(name, key, why)
                ? done("retried", 1)
                : refused(
                        WebEndpointResponse.STATUS_NOT_FOUND,
                        "The key '" + key + "' of the subscription '" + name + "' is not parked.");
    }

    private static WebEndpointResponse<Map<String, Object>> skip(
            Subscriptions chosen, String name, @Nullable String key, @Nullable Long position, String why) {
        if (key == null || position == null) {
            return refused(
                    WebEndpointResponse.STATUS_BAD_REQUEST,
                    "To skip a message give its key and its position, as GET /actuator/baton/" + name
                            + " shows them under parked.");
        }
        chosen.skip(name, key, position, why);
        return done("skipped", 1);
    }

    private static String by(@Nullable Principal principal) {
        return principal == null ? " (through Actuator)" : " (by " + principal.getName() + ", through Actuator)";
    }

    private static WebEndpointResponse<Map<String, Object>> answer(
            Supplier<WebEndpointResponse<Map<String, Object>>> work) {
        try {
            return work.get();
        } catch (DatabaseException away) {
            return refused(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(away.getMessage()));
        } catch (BatonException | IllegalArgumentException refused) {
            return refused(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(refused.getMessage()));
        }
    }

    private static WebEndpointResponse<Map<String, Object>> ok(Map<String, Object> body) {
        return new WebEndpointResponse<>(body);
    }

    private static WebEndpointResponse<Map<String, Object>> done(String what, int count) {
        return ok(Map.of(what, count));
    }

    private static WebEndpointResponse<Map<String, Object>> unknown(String name) {
        return refused(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "There is no subscription '" + name + "': see GET /actuator/baton for those that there are.");
    }

    private static WebEndpointResponse<Map<String, Object>> refused(int status, String sentence) {
        return new WebEndpointResponse<>(Map.of("error", sentence), status);
    }
}
