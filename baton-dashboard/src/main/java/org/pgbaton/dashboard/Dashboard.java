package org.pgbaton.dashboard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.act.Operations;
import org.pgbaton.dashboard.api.Api;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.dashboard.http.Stage;
import org.pgbaton.dashboard.http.Viewer;
import org.pgbaton.dashboard.look.Details;
import org.pgbaton.dashboard.look.Looks;
import org.pgbaton.dashboard.look.MessageSearch;
import org.pgbaton.dashboard.look.Rows;
import org.pgbaton.dashboard.look.Snapshot;
import org.pgbaton.dashboard.page.Confirmation;
import org.pgbaton.dashboard.page.Page;
import org.pgbaton.dashboard.page.Pages;
import org.pgbaton.dashboard.page.Scene;
import org.pgbaton.database.BatonException;

/**
 * The dashboard and its API, for any HTTP server: the server finds out who asks, and hands requests to {@link #answer}.
 *
 * <p>Guarantees: all viewers share one look at the database a second, and nobody looks if nobody asks; a reader cannot change anything; what an
 * operator changes is recorded under the operator's name; no text becomes HTML; no other site can act through a viewer's browser.
 *
 * <pre>{@code
 * Dashboard dashboard = Dashboard.of(baton).prefix("/ops/baton").build();
 * Answer answer = dashboard.answer(request);
 * }</pre>
 *
 * <p>Thread-safe. It owns no connection, and no thread except for those of actions that wait for the database.
 */
public final class Dashboard {
    /** A header that browsers do not send to another site without asking; requests that act need it, a token or the form's secret. */
    public static final String CSRF_HEADER = "X-Baton-Csrf";

    private final String prefix;
    private final boolean payloadsForReaders;
    private final Supplier<List<ServedPart>> served;
    private final @Nullable Stage stage;
    private final Looks looks;
    private final Details details;
    private final MessageSearch search;
    private final Operations operations;
    private final Api api;
    private final LivePages live;

    private Dashboard(Builder builder) {
        Rows rows = new Rows(builder.baton);
        this.prefix = builder.prefix;
        this.payloadsForReaders = builder.payloadsForReaders;
        this.served = builder.served;
        this.stage = builder.stage;
        this.looks = new Looks(rows, System::nanoTime);
        this.details = new Details(rows);
        this.search = new MessageSearch(rows, System::nanoTime);
        this.operations = new Operations(builder.baton, details);
        this.api = new Api(operations, Assets.openApi());
        this.live = new LivePages(looks, this::scene, builder.liveFor);
    }

    /** Shows what is in the schema of this Baton. */
    public static Builder of(Baton baton) {
        return new Builder(baton);
    }

    /** Answers a request. Waits for the database some seconds at most. */
    public Answer answer(Request request) throws InterruptedException {
        String path = request.path();
        boolean isApi = path.startsWith(Api.ROOT + "/");
        try {
            return SecurityHeaders.on(isApi ? api(request) : page(request, path));
        } catch (RefusedException refused) {
            return SecurityHeaders.on(isApi ? Api.refusal(refused) : refusal(request, refused));
        } catch (BatonException away) {
            RefusedException refused = new RefusedException(503, String.valueOf(away.getMessage()));
            return SecurityHeaders.on(isApi ? Api.refusal(refused) : refusal(request, refused));
        }
    }

    /** Does not look: the trouble may be that looking takes long. */
    private Answer refusal(Request request, RefusedException refused) {
        if (request.path().equals("/stage")) {
            return Answer.text(refused.status(), "text/plain", String.valueOf(refused.getMessage()));
        }
        Scene scene = scene(request, looks.latest());
        return html(refused.status(), Pages.sentence("That did not work", String.valueOf(refused.getMessage()), scene));
    }

    private Answer api(Request request) throws InterruptedException {
        if (!request.isReading()) {
            Forgery.refuse(request);
            requireOperator(request.viewer());
        }
        return api.answer(request.path().substring(Api.ROOT.length()), request, scene(request, looks.current()));
    }

    private Answer page(Request request, String path) throws InterruptedException {
        if (path.startsWith("/assets/")) {
            return Assets.answer(path.substring("/assets/".length()), request);
        }
        if (request.method().equals("POST")) {
            return act(request, path);
        }
        if (!request.isReading()) {
            throw new RefusedException(405, "Only GET and POST.");
        }
        if (path.equals("/live")) {
            if (!request.method().equals("GET")) {
                throw new RefusedException(405, "Only GET."); // a stream to nobody would never end
            }
            return live.answer(request);
        }
        Snapshot now = looks.current();
        if (path.equals("/confirm")) {
            requireOperator(request.viewer());
            return question(request, now);
        }
        Page.View view = Pages.at(path);
        if (view == null) {
            throw new RefusedException(404, "There is no page " + path + " here; the menu has those that there are.");
        }
        Scene scene = scene(request, now);
        String notice = Notice.in(request);
        Answer.Whole answer = html(200, Pages.whole(live.page(request, view, scene), scene, notice, true));
        return notice == null ? answer : answer.with("Set-Cookie", Notice.forget(cookiePath()));
    }

    private Answer question(Request request, Snapshot now) {
        Confirmation question = operations
                .confirmation(request.query().getOrDefault("action", ""), request.query(), now)
                .with(request.formFields().get());
        Forgery.Secret secret = Forgery.secret(request);
        Answer.Whole answer = html(
                200,
                Pages.question(
                        question, scene(request, now), secret.value(), Back.from(prefix, request.query()), null));
        return secret.isNew() ? answer.with("Set-Cookie", Forgery.cookie(secret, cookiePath())) : answer;
    }

    private Answer act(Request request, String path) throws InterruptedException {
        Forgery.refuse(request);
        requireOperator(request.viewer());
        if (path.equals("/stage")) {
            return onStage(request);
        }
        if (!path.equals("/act")) {
            throw new RefusedException(404, "There is nothing to do at " + path + ".");
        }
        Map<String, String> fields = request.form();
        String done = operations.perform(fields.getOrDefault("action", ""), fields, request.viewer());
        return Answer.seeOther(Back.from(prefix, fields)).with("Set-Cookie", Notice.remember(done, cookiePath()));
    }

    private Answer onStage(Request request) {
        Stage theirs = stage;
        if (theirs == null) {
            throw new RefusedException(404, "There is no demonstration here.");
        }
        Map<String, String> fields = new LinkedHashMap<>(request.query());
        fields.putAll(request.form());
        String gremlin = fields.get("gremlin");
        if (gremlin != null) {
            theirs.gremlin(gremlin.equals("on"));
            return Answer.text(
                    200, "text/plain", gremlin.equals("on") ? "The gremlin is loose." : "The gremlin is caught.");
        }
        for (Stage.Deed deed : Stage.Deed.values()) {
            if (deed.word().equals(fields.get("deed"))) {
                return Answer.text(200, "text/plain", theirs.act(fields.getOrDefault("worker", ""), deed));
            }
        }
        throw new RefusedException(400, "Say what to do: kill, freeze or cut.");
    }

    private static void requireOperator(Viewer viewer) {
        if (!viewer.isOperator()) {
            throw new RefusedException(
                    403, "You may look, but not change anything: that needs the role of an operator.");
        }
    }

    private Scene scene(Request request, Snapshot now) {
        return new Scene(
                now,
                looks.history(),
                details,
                search,
                request.query(),
                request.viewer(),
                payloadsForReaders || request.viewer().isOperator(),
                prefix,
                served.get(),
                request.viewer().isOperator() ? stage : null);
    }

    private static Answer.Whole html(int status, String page) {
        return Answer.text(status, "text/html", page);
    }

    private String cookiePath() {
        return prefix.isEmpty() ? "/" : prefix;
    }

    /** Options, all with good defaults. Not thread-safe. */
    public static final class Builder {
        private final Baton baton;
        private String prefix = "";
        private boolean payloadsForReaders;
        private Supplier<List<ServedPart>> served = List::of;
        private @Nullable Stage stage;
        private Duration liveFor = Duration.ofMinutes(5);

        private Builder(Baton baton) {
            this.baton = baton;
        }

        /** The path under which the browser sees it, such as {@code /ops/baton}; default: none. */
        public Builder prefix(String path) {
            if (!path.isEmpty() && !path.matches("(/[A-Za-z0-9._~-]+)+")) {
                throw new IllegalArgumentException("'" + path.substring(0, Math.min(60, path.length()))
                        + "' cannot be a path prefix: write it like /ops/baton (default: none).");
            }
            this.prefix = path;
            return this;
        }

        /** Whether readers see payloads and headers of messages, too; default: operators only. */
        public Builder payloadsForReaders(boolean shown) {
            this.payloadsForReaders = shown;
            return this;
        }

        /** What this process runs, and how it is doing. Called for every page, so it must not wait for anything. */
        public Builder served(Supplier<List<ServedPart>> parts) {
            this.served = parts;
            return this;
        }

        /** How long a live page is kept up to date before the browser must ask again, and is authenticated again; default: 5 minutes. */
        public Builder liveFor(Duration longest) {
            if (longest.isNegative()) {
                throw new IllegalArgumentException(
                        "liveFor cannot be " + longest + ": give a duration from 0 on (default 5 minutes).");
            }
            this.liveFor = longest;
            return this;
        }

        /** For demonstrations: workers that operators can kill from the page. */
        public Builder stage(Stage workers) {
            this.stage = workers;
            return this;
        }

        /** Asks no database yet. */
        public Dashboard build() {
            return new Dashboard(this);
        }
    }
}
