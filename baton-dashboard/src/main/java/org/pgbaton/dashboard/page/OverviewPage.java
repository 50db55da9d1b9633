package org.pgbaton.dashboard.page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.pgbaton.dashboard.http.Stage;
import org.pgbaton.dashboard.look.Sample;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Page.Region;
import org.pgbaton.leadership.LeaderStatus;

/** Who leads, is it moving, how far behind, what is stuck and why. */
final class OverviewPage {
    private static final int MOST_GRIDS = 12;
    private static final int MOST_TROUBLES = 8;
    private static final int MOST_TAKEOVERS = 8;

    private OverviewPage() {}

    static Page render(Scene scene) {
        List<Region> regions = new ArrayList<>();
        regions.add(new Region("verdict", verdict(scene)));
        regions.add(new Region("pulse", pulse(scene)));
        Stage stage = scene.stage();
        if (stage != null) {
            regions.add(new Region("stage", stage(scene, stage)));
        }
        regions.add(new Region("lanes", lanes(scene)));
        regions.add(new Region("subscriptions", subscriptions(scene)));
        regions.add(new Region(
                "takeovers",
                Parts.panel(
                        "Takeovers",
                        Parts.takeovers(
                                scene,
                                scene.history().takeovers().stream()
                                        .limit(MOST_TAKEOVERS)
                                        .toList()))));
        return new Page("Overview", "/", regions);
    }

    static Markup verdict(Scene scene) {
        Verdict verdict = Verdict.of(scene);
        List<Markup> items = verdict.troubles().stream()
                .limit(MOST_TROUBLES)
                .map(each -> Markup.of(
                        "<li class=\"trouble {}\"><span>{}</span> <a href=\"{}\">{}</a></li>",
                        each.level().word(),
                        each.sentence(),
                        each.link(),
                        each.step()))
                .toList();
        int more = verdict.troubles().size() - items.size();
        return Markup.of(
                """
                <div class="verdict {}"><p class="sentence" role="status" aria-live="polite">{}</p>{}{}</div>""",
                verdict.level(),
                verdict.sentence(scene),
                items.isEmpty() ? Markup.NOTHING : Markup.of("<ul class=\"troubles\">{}</ul>", items),
                more > 0 ? Markup.of("<p class=\"aside\">… and {} more.</p>", more) : Markup.NOTHING);
    }

    private static Markup pulse(Scene scene) {
        return Markup.of(
                "<div class=\"pulse\">{}{}{}{}</div>", leads(scene), moving(scene), behind(scene), stuck(scene));
    }

    private static Markup card(String question, String link, Markup answer, Markup more) {
        return Markup.of("""
                <a class="card" href="{}"><span class="question">{}</span><span class="answer">{}</span>\
                <span class="more">{}</span></a>""", link, question, answer, more);
    }

    private static Markup leads(Scene scene) {
        List<LeaderStatus> led = scene.now().leaders().stream()
                .filter(each -> each.holder() != null && !each.name().startsWith("capture/"))
                .toList();
        if (led.isEmpty()) {
            int processes = scene.now().processes().size();
            return card(
                    "Who leads?",
                    scene.link("/leaders"),
                    Markup.of("–"),
                    Parts.text(
                            processes == 0
                                    ? "No process is here."
                                    : "No leadership; " + processes + " processes share the lanes."));
        }
        LeaderStatus first = led.stream()
                .max(Comparator.comparing(each -> each.since() == null ? java.time.Instant.EPOCH : each.since()))
                .orElseThrow();
        String others = led.size() == 1
                ? Words.count(first.standbys().size(), "standby")
                : "and " + (led.size() - 1) + " more leaderships";
        return card(
                "Who leads?",
                scene.link("/leaders"),
                Parts.process(scene, first.holder()),
                Markup.of("‘{}’ since {}, {}", first.name(), Words.ago(first.since()), others));
    }

    private static Markup moving(Scene scene) {
        double rate = scene.now().subscriptions().stream()
                .mapToDouble(each -> scene.history().pace(each).handled())
                .sum();
        List<Double> total = totalRates(scene);
        return card(
                "Is it moving?",
                scene.link("/subscriptions"),
                Markup.of("<span class=\"num\">{}</span><span class=\"unit\"> rows/s</span>", Words.rate(rate)),
                total.size() < 3
                        ? Parts.text("handled, by all subscriptions")
                        : Chart.line(total, "Rows handled per second"));
    }

    private static List<Double> totalRates(Scene scene) {
        List<Double> total = new ArrayList<>();
        for (Subscription each : scene.now().subscriptions()) {
            List<Sample> samples = scene.history().samples(each);
            List<Double> rates = Parts.rates(samples);
            for (int i = 0; i < rates.size(); i++) {
                int at = total.size() - rates.size() + i;
                if (total.size() < rates.size()) {
                    total.add(0, rates.get(rates.size() - 1 - total.size()));
                } else {
                    total.set(at, total.get(at) + rates.get(i));
                }
            }
        }
        return total;
    }

    private static Markup behind(Scene scene) {
        Subscription worst = scene.now().subscriptions().stream()
                .filter(each -> each.live() && each.isRunning() && each.waitingSince() != null)
                .max(Comparator.comparing(each -> each.lag(scene.now().at())))
                .orElse(null);
        if (worst == null) {
            return card(
                    "How far behind?",
                    scene.link("/subscriptions"),
                    Markup.of("<span class=\"calm\">0</span><span class=\"unit\"> rows</span>"),
                    Parts.text(
                            scene.now().subscriptions().isEmpty()
                                    ? "There is no subscription yet."
                                    : "Every subscription is up to date."));
        }
        Duration lag = worst.lag(scene.now().at());
        return card(
                "How far behind?",
                scene.link("/subscription", "name", worst.name(), "target", worst.target()),
                Markup.of(
                        "<span class=\"num\">{}</span><span class=\"unit\"> rows, {}</span>",
                        Words.number(worst.behind()),
                        Words.duration(lag)),
                Markup.of("‘{}’ is the slowest", worst.title()));
    }

    private static Markup stuck(Scene scene) {
        int parked = scene.now().parked();
        long waiting = scene.now().subscriptions().stream()
                .mapToLong(Subscription::waiting)
                .sum();
        int retrying = scene.now().subscriptions().stream()
                .mapToInt(Subscription::setAside)
                .sum();
        return card(
                "What is stuck?",
                scene.link("/parked"),
                parked == 0
                        ? Markup.of("<span class=\"calm\">nothing</span>")
                        : Markup.of(
                                "<span class=\"num\">{}</span><span class=\"unit\"> {}</span>",
                                Words.number(parked),
                                parked == 1 ? "key" : "keys"),
                Parts.text(
                        parked + retrying == 0
                                ? "No key is set aside."
                                : Words.count(waiting, "message")
                                        + (waiting == 1 ? " waits" : " wait")
                                        + (retrying == 0 ? "" : "; " + Words.count(retrying, "key") + " retrying")));
    }

    private static Markup lanes(Scene scene) {
        List<Subscription> shown = scene.now().subscriptions().stream()
                .filter(each -> !each.state().equals("retired"))
                .limit(MOST_GRIDS)
                .toList();
        if (shown.isEmpty()) {
            return Parts.panel(
                    "Lanes",
                    Parts.empty("There is no subscription yet.", "The first process that starts one shows up here."));
        }
        List<Markup> grids = shown.stream()
                .map(each -> Markup.of(
                        "<div class=\"grid-row\"><a href=\"{}\">{}</a>{}</div>",
                        scene.link("/subscription", "name", each.name(), "target", each.target()),
                        each.title(),
                        Parts.lanes(scene, each)))
                .toList();
        int more = scene.now().subscriptions().size() - shown.size();
        return Parts.panel(
                "Lanes",
                "each in the colour of its owner",
                Markup.of(
                        "{}<div class=\"grid\">{}</div>{}",
                        Parts.legend(scene),
                        grids,
                        more > 0
                                ? Markup.of(
                                        "<p><a href=\"{}\">{} more subscriptions</a></p>",
                                        scene.link("/subscriptions"),
                                        more)
                                : Markup.NOTHING));
    }

    private static Markup subscriptions(Scene scene) {
        List<Subscription> worst = scene.now().subscriptions().stream()
                .filter(each -> !each.state().equals("retired"))
                .sorted(Comparator.comparing(
                                (Subscription each) -> each.lag(scene.now().at()))
                        .reversed())
                .limit(MOST_GRIDS)
                .sorted(Comparator.comparing(Subscription::title))
                .toList();
        return worst.isEmpty() ? Markup.NOTHING : Parts.panel("Subscriptions", SubscriptionsPage.table(scene, worst));
    }

    private static Markup stage(Scene scene, Stage stage) {
        List<Markup> actors = new ArrayList<>();
        for (Stage.Actor actor : stage.actors()) {
            List<Markup> deeds = new ArrayList<>();
            for (Stage.Deed deed : Stage.Deed.values()) {
                deeds.add(Markup.of(
                        "<button type=\"button\" class=\"button small\" data-post=\"{}\">{}<span class=\"hidden\"> {}</span></button>",
                        scene.link("/stage", "worker", actor.name(), "deed", deed.word()),
                        deed == Stage.Deed.KILL ? "Kill" : deed == Stage.Deed.FREEZE ? "Freeze" : "Cut off",
                        actor.name()));
            }
            actors.add(Markup.of(
                    "<li>{} <span class=\"aside\">pid {}</span> {} <span class=\"deeds\">{}</span></li>",
                    Parts.process(scene, actor.name()),
                    actor.pid(),
                    Parts.chip(actor.state()),
                    deeds));
        }
        boolean loose = stage.isGremlinLoose();
        Markup gremlin = Markup.of(
                "<button type=\"button\" class=\"button small\" data-post=\"{}\" aria-pressed=\"{}\">{}</button>",
                scene.link("/stage", "gremlin", loose ? "off" : "on"),
                loose,
                loose ? "Catch the gremlin" : "Let the gremlin loose");
        List<Markup> news = stage.news().stream()
                .map(each -> Markup.of("<li>{}</li>", each))
                .toList();
        return Markup.of(
                """
                <section class="panel"><div class="page-head"><h2>Try it <span class="aside">{}</span></h2>{}</div>\
                <div class="stage"><ul class="actors">{}</ul><ol class="news" aria-label="What happened">{}</ol></div></section>""",
                loose ? "the gremlin kills leaders by itself" : "the gremlin sleeps; it is your turn",
                gremlin,
                actors,
                news);
    }
}
