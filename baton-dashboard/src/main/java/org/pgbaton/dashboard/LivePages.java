package org.pgbaton.dashboard;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.pgbaton.dashboard.api.JsonText;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.look.Looks;
import org.pgbaton.dashboard.look.Snapshot;
import org.pgbaton.dashboard.page.Page;
import org.pgbaton.dashboard.page.Pages;
import org.pgbaton.dashboard.page.Scene;
import org.pgbaton.database.BatonException;

/**
 * Keeps pages up to date by server-sent events: after each look the regions that have changed. Viewers of the same page with the same role share
 * what was made of a look. Each stream ends after a while, and the browser asks again: whoever may not look any more is refused then.
 * Thread-safe.
 */
final class LivePages {
    private static final int MOST_VIEWERS = 200;
    private static final int MOST_PAGES = 50;

    private final Looks looks;
    private final BiFunction<Request, Snapshot, Scene> scenes;
    private final Duration longest;
    private final AtomicInteger viewers = new AtomicInteger();
    private final Map<String, Made> made = new ConcurrentHashMap<>();

    /** @param page is made by whoever asked for it first */
    private record Made(long number, FutureTask<Page> page) {}

    /** @param longest how long a stream goes on */
    LivePages(Looks looks, BiFunction<Request, Snapshot, Scene> scenes, Duration longest) {
        this.looks = looks;
        this.scenes = scenes;
        this.longest = longest;
    }

    /** The page of this look or a later one, made anew only if nobody else has asked for it. Others wait until it is made. */
    Page page(Request request, Page.View view, Scene scene) throws InterruptedException {
        String name = request.viewer().role() + " " + request.path() + " " + new TreeMap<>(request.query());
        long number = scene.now().number();
        made.values().removeIf(each -> each.number < number);
        if (made.size() >= MOST_PAGES && !made.containsKey(name)) {
            made.clear();
        }
        Made mine = new Made(number, new FutureTask<>(() -> view.render(scene)));
        Made shared = made.compute(name, (any, known) -> known != null && known.number >= number ? known : mine);
        shared.page.run(); // does nothing if somebody else has begun
        try {
            return shared.page.get();
        } catch (ExecutionException failed) {
            made.remove(name, shared); // the next one tries again
            throw failed.getCause() instanceof RuntimeException theirs
                    ? theirs
                    : new IllegalStateException("the page " + request.path() + " cannot be made", failed.getCause());
        }
    }

    /** @param request with the page in its parameter {@code view}: {@code /parked?subscription=balances} */
    Answer answer(Request request) {
        String wanted = request.query().getOrDefault("view", "/");
        int query = wanted.indexOf('?');
        String path = query < 0 ? wanted : wanted.substring(0, query);
        Page.View view = Pages.at(path);
        if (view == null) {
            throw new RefusedException(404, "There is no page " + path + ".");
        }
        Request page = request.at(path, Request.fields(query < 0 ? "" : wanted.substring(query + 1)));
        if (viewers.get() >= MOST_VIEWERS) {
            throw new RefusedException(503, "There are " + MOST_VIEWERS + " viewers already; reload the page by hand.");
        }
        return new Answer.Events(Map.of(), sink -> follow(page, view, sink));
    }

    private void follow(Request page, Page.View view, Answer.Sink sink) throws InterruptedException {
        try {
            if (viewers.incrementAndGet() > MOST_VIEWERS) {
                return; // many came at once; the browser asks again
            }
            Map<String, String> sent = new HashMap<>();
            Snapshot now = looks.latest().number() == 0 ? looks.after(0) : looks.current();
            long begun = System.nanoTime();
            while (send(page, view, sink, sent, now)) {
                if (System.nanoTime() - begun >= longest.toNanos()) {
                    sink.send("again", "{}");
                    return;
                }
                now = looks.after(now.number());
            }
        } finally {
            viewers.decrementAndGet();
        }
    }

    private boolean send(Request request, Page.View view, Answer.Sink sink, Map<String, String> sent, Snapshot now)
            throws InterruptedException {
        Scene scene = scenes.apply(request, now);
        try {
            for (Page.Region region : page(request, view, scene).regions()) {
                String html = region.html().toString();
                if (!html.equals(sent.put(region.id(), html))
                        && !sink.send("region", JsonText.of(Map.of("id", region.id(), "html", html)))) {
                    return false;
                }
            }
        } catch (RefusedException busy) {
            // What was sent before stays until there is more room.
        } catch (BatonException away) {
            return sink.send("away", JsonText.of(Map.of("why", String.valueOf(away.getMessage()))));
        }
        return sink.send(
                "beat",
                JsonText.of(
                        Map.of("at", now.at(), "parked", Pages.badgeNumber(scene), "answers", now.trouble() == null)));
    }
}
