package org.pgbaton.dashboard.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.act.Operations;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.look.Snapshot;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Scene;
import org.pgbaton.dashboard.page.Verdict;

/** {@code /api/v1}: the facts of the pages as JSON, and what operators do. {@code openapi.json} describes it. Thread-safe. */
public final class Api {
    /** Where it is, below the dashboard. */
    public static final String ROOT = "/api/v1";

    private static final int MOST = 1000;
    private static final int USUAL = 200;

    private final Operations operations;
    private final String openApi;
    private final Map<String, Function<Scene, Object>> facts = new TreeMap<>();

    /** @param openApi the document that describes it */
    public Api(Operations operations, String openApi) {
        this.operations = operations;
        this.openApi = openApi;
        facts.put("/status", Api::status);
        facts.put("/verdict", Api::verdict);
        facts.put("/subscriptions", Api::subscriptions);
        facts.put("/subscription", Api::subscription);
        facts.put("/lanes", Api::lanes);
        facts.put("/members", Api::members);
        facts.put(
                "/leaderships",
                scene -> Map.of(
                        "leaderships",
                        scene.now().leaders().stream().map(Facts::leadership).toList()));
        facts.put(
                "/takeovers",
                scene -> Map.of(
                        "takeovers",
                        scene.history().takeovers().stream()
                                .map(Facts::takeover)
                                .toList()));
        facts.put("/parked", Api::parked);
        facts.put(
                "/errors",
                scene -> Map.of(
                        "errors",
                        scene.details().errors().stream().map(Facts::error).toList()));
        facts.put(
                "/captures",
                scene -> Map.of(
                        "captures",
                        scene.now().captures().stream().map(Facts::capture).toList()));
        facts.put(
                "/gaps",
                scene -> Map.of(
                        "gaps", scene.details().gaps().stream().map(Facts::gap).toList()));
        facts.put(
                "/served",
                scene -> Map.of(
                        "served", scene.served().stream().map(Facts::served).toList()));
        facts.put(
                "/actions",
                scene -> Map.of(
                        "actions",
                        scene.details().actions(limit(scene)).stream()
                                .map(Facts::action)
                                .toList()));
        facts.put("/messages", Api::messages);
    }

    /** @param path below {@link #ROOT} */
    public Answer.Whole answer(String path, Request request, Scene scene) throws InterruptedException {
        if (path.equals("/openapi.json")) {
            return Answer.text(200, "application/json", openApi);
        }
        if (path.startsWith("/actions/")) {
            return action(path.substring("/actions/".length()), request, scene);
        }
        Function<Scene, Object> fact = facts.get(path);
        if (fact == null) {
            throw new RefusedException(
                    404, "There is no " + ROOT + path + "; " + ROOT + "/openapi.json describes what there is.");
        }
        if (!request.isReading()) {
            throw new RefusedException(405, "Only GET.");
        }
        return json(200, fact.apply(scene));
    }

    /** The answer to a request that was refused. */
    public static Answer.Whole refusal(RefusedException refused) {
        return json(refused.status(), Map.of("error", String.valueOf(refused.getMessage())));
    }

    private static Answer.Whole json(int status, Object value) {
        return Answer.text(status, "application/json", JsonText.of(value) + "\n");
    }

    /** GET states the impact, POST does it. */
    private Answer.Whole action(String name, Request request, Scene scene) throws InterruptedException {
        if (request.isReading()) {
            return json(
                    200,
                    Map.of(
                            "impact",
                            operations
                                    .confirmation(name, request.query(), scene.now())
                                    .impact()));
        }
        if (!request.method().equals("POST")) {
            throw new RefusedException(405, "GET states the impact, POST does it.");
        }
        return json(200, Map.of("done", operations.perform(name, request.form(), request.viewer())));
    }

    private static Object status(Scene scene) {
        Snapshot now = scene.now();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("leaderships", now.leaders().stream().map(Facts::leadership).toList());
        all.put("schedules", now.schedules().stream().map(Facts::schedule).toList());
        all.put(
                "subscriptions",
                now.subscriptions().stream()
                        .map(each -> Facts.subscription(each, now.at()))
                        .toList());
        return all;
    }

    private static Object verdict(Scene scene) {
        Verdict verdict = Verdict.of(scene);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("sentence", verdict.sentence(scene));
        all.put("level", verdict.level());
        all.put(
                "troubles",
                verdict.troubles().stream()
                        .map(each -> Map.of(
                                "level",
                                each.level().name().toLowerCase(java.util.Locale.ROOT),
                                "sentence",
                                each.sentence(),
                                "step",
                                each.step()))
                        .toList());
        return all;
    }

    private static Object subscriptions(Scene scene) {
        return Map.of(
                "subscriptions",
                scene.now().subscriptions().stream()
                        .map(each -> Facts.withPace(
                                each, scene.now().at(), scene.history().pace(each)))
                        .toList());
    }

    private static Object subscription(Scene scene) {
        String name = required(scene, "name");
        Subscription found = scene.now()
                .subscription(name, scene.query().get("target"))
                .orElseThrow(() -> new RefusedException(404, "There is no subscription '" + name + "'."));
        Map<String, @Nullable Object> map =
                Facts.withPace(found, scene.now().at(), scene.history().pace(found));
        map.put(
                "laneStatus",
                found.lanes().stream().map(lane -> Facts.lane(found, lane)).toList());
        return map;
    }

    private static Object lanes(Scene scene) {
        String name = scene.query().get("subscription");
        return Map.of(
                "lanes",
                scene.now().subscriptions().stream()
                        .filter(each -> name == null || each.name().equals(name))
                        .flatMap(each -> each.lanes().stream().map(lane -> Facts.lane(each, lane)))
                        .toList());
    }

    private static Object members(Scene scene) {
        return Map.of(
                "members",
                scene.now().subscriptions().stream()
                        .flatMap(each -> each.members().stream().map(member -> Facts.member(each, member)))
                        .toList());
    }

    private static Object parked(Scene scene) {
        return Map.of(
                "keys",
                scene
                        .details()
                        .parked(scene.query().get("subscription"), scene.query().get("error"), limit(scene))
                        .stream()
                        .map(Facts::parked)
                        .toList());
    }

    private static Object messages(Scene scene) {
        return Map.of(
                "messages",
                scene.search().find(required(scene, "q"), scene.now()).stream()
                        .map(each -> Facts.message(each, scene.showsPayloads()))
                        .toList());
    }

    private static String required(Scene scene, String name) {
        String value = scene.query().get(name);
        if (value == null || value.isBlank()) {
            throw new RefusedException(400, "The parameter '" + name + "' is missing.");
        }
        return value;
    }

    private static int limit(Scene scene) {
        String limit = scene.query().get("limit");
        if (limit == null) {
            return USUAL;
        }
        try {
            int number = Integer.parseInt(limit);
            if (number >= 1 && number <= MOST) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // The sentence below says it.
        }
        throw new RefusedException(400, "'limit' must be 1 to " + MOST + " (default " + USUAL + ").");
    }
}
