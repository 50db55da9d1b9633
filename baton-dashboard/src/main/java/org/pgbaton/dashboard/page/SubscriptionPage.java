package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.dashboard.look.Lane;
import org.pgbaton.dashboard.look.Pace;
import org.pgbaton.dashboard.look.Sample;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Page.Region;

/** One subscription: charts, lanes, members, actions. */
final class SubscriptionPage {
    private SubscriptionPage() {}

    static Page render(Scene scene) {
        String name = String.valueOf(scene.asked("name"));
        return scene.now()
                .subscription(name, scene.query().get("target"))
                .map(each -> page(scene, each))
                .orElseGet(() -> new Page(
                        name,
                        "/subscriptions",
                        List.of(new Region(
                                "subscription",
                                Parts.panel(
                                        "No such subscription",
                                        Parts.empty(
                                                "There is no subscription '" + name + "'.",
                                                "The menu has a list of all."))))));
    }

    private static Page page(Scene scene, Subscription each) {
        List<Region> regions = new ArrayList<>();
        regions.add(new Region("head", head(scene, each)));
        regions.add(new Region("charts", charts(scene, each)));
        regions.add(new Region(
                "lanes",
                Parts.panel(
                        "Lanes",
                        each.order().equals("total") ? "in total order: one owner" : "in order per key",
                        Markup.of("{}{}{}", Parts.legend(scene), Parts.lanes(scene, each), laneTable(scene, each)))));
        regions.add(new Region("members", members(scene, each)));
        return new Page(each.title(), "/subscriptions", regions);
    }

    private static Markup head(Scene scene, Subscription each) {
        List<Markup> buttons = new ArrayList<>();
        if (scene.isOperator() && !each.state().equals("retired")) {
            boolean goesOn = each.isRunning();
            buttons.add(Parts.button(
                    scene.link(
                            "/confirm",
                            "action",
                            goesOn ? "pause" : "resume",
                            "subscription",
                            each.name(),
                            "target",
                            each.target()),
                    goesOn ? "Pause" : "Resume",
                    ""));
        }
        return Markup.of(
                """
                <div class="page-head"><div><h1>{}</h1><p>{} reads <strong>{}</strong>{}{}</p></div>\
                <div class="buttons">{}</div></div>""",
                each.title(),
                Parts.chip(each.state()),
                each.log(),
                each.publishesTo() == null ? "" : ", publishes to " + each.publishesTo(),
                each.note() == null ? "" : ": " + each.note(),
                buttons);
    }

    private static Markup charts(Scene scene, Subscription each) {
        List<Sample> samples = scene.history().samples(each);
        Pace pace = scene.history().pace(each);
        List<Double> behind = samples.stream().map(one -> (double) one.behind()).toList();
        List<Double> lag = samples.stream().map(Sample::lagSeconds).toList();
        return Markup.of(
                "<div class=\"charts\">{}{}{}</div>",
                figure(
                        "Handled",
                        Words.rate(pace.handled()) + " rows/s",
                        "written " + Words.rate(pace.written()) + "/s",
                        Chart.line(Parts.rates(samples), "Rows handled per second")),
                figure(
                        "Behind",
                        Words.number(each.behind()) + " rows",
                        pace.left() == null || each.behind() == 0
                                ? (each.behind() == 0 ? "up to date" : "not getting less")
                                : "up to date in " + Words.duration(pace.left()),
                        Chart.line(behind, "Rows behind")),
                figure(
                        "Oldest waiting",
                        Words.duration(each.lag(scene.now().at())),
                        "position " + Words.number(each.position()) + " of " + Words.number(each.end()),
                        Chart.line(lag, "Seconds behind")));
    }

    private static Markup figure(String title, String value, String more, Markup chart) {
        return Markup.of("""
                <figure class="panel"><figcaption><span class="question">{}</span><span class="answer">{}</span>\
                <span class="more">{}</span></figcaption>{}</figure>""", title, value, more, chart);
    }

    private static Markup laneTable(Scene scene, Subscription each) {
        List<List<Markup>> rows = new ArrayList<>();
        for (Lane lane : each.lanes()) {
            rows.add(List.of(
                    Parts.text(lane.number() < 0 ? "all" : lane.number()),
                    Parts.process(scene, lane.owner()),
                    Words.ago(lane.ownedSince()),
                    Markup.of("<span class=\"num\">{}</span>", lane.epoch()),
                    Markup.of("<span class=\"num\">{}</span>", Words.number(lane.position())),
                    lane.waitingSince() == null ? Markup.of("–") : Words.ago(lane.waitingSince()),
                    Parts.text(
                            lane.lockedBy() != null
                                    ? "locked by " + lane.lockedBy()
                                    : lane.heldBackBy() == null ? "" : "waits for " + lane.heldBackBy())));
        }
        return Markup.of(
                "<details id=\"lane-table\"><summary>Lane by lane</summary>{}</details>",
                Parts.table(
                        "Lane by lane",
                        List.of("Lane", "Owner", "Owned since", "Epoch", "Position", "Oldest waiting", "Held back"),
                        rows));
    }

    private static Markup members(Scene scene, Subscription each) {
        if (each.members().isEmpty()) {
            return Parts.panel(
                    "Members",
                    Parts.empty(
                            "No process works for it.", "Start one that has this subscription; it joins by itself."));
        }
        List<List<Markup>> rows = each.members().stream()
                .map(member -> List.of(
                        Parts.process(scene, member.who()),
                        Parts.text(Words.count(
                                each.lanes().stream()
                                        .filter(lane -> member.who().equals(lane.owner()))
                                        .count(),
                                "lane")),
                        Words.ago(member.since())))
                .toList();
        return Parts.panel("Members", Parts.table("Members", List.of("Process", "Owns", "Joined"), rows));
    }
}
