package org.pgbaton.dashboard.page;

import java.util.List;
import org.pgbaton.dashboard.look.Pace;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Page.Region;

/** All subscriptions: rate, lag, what is set aside. */
final class SubscriptionsPage {
    private SubscriptionsPage() {}

    static Page render(Scene scene) {
        List<Subscription> all = scene.now().subscriptions();
        Markup body = all.isEmpty()
                ? Parts.empty(
                        "There is no subscription yet.",
                        "A program starts one with baton.subscription(\"balances\"), or a relay of 'baton serve' does.")
                : table(scene, all);
        return new Page(
                "Subscriptions",
                "/subscriptions",
                List.of(new Region("subscriptions", Parts.panel("Subscriptions", Integer.toString(all.size()), body))));
    }

    static Markup table(Scene scene, List<Subscription> subscriptions) {
        List<List<Markup>> rows =
                subscriptions.stream().map(each -> row(scene, each)).toList();
        return Parts.table(
                "Subscriptions",
                List.of(
                        "Subscription",
                        "State",
                        "Handles",
                        "",
                        "Behind",
                        "Up to date",
                        "Lanes",
                        "Set aside",
                        "Members"),
                rows);
    }

    private static List<Markup> row(Scene scene, Subscription each) {
        Pace pace = scene.history().pace(each);
        List<Double> rates = Parts.rates(scene.history().samples(each));
        return List.of(
                Markup.of(
                        "<a href=\"{}\">{}</a><span class=\"aside block\">on {}</span>",
                        scene.link("/subscription", "name", each.name(), "target", each.target()),
                        each.title(),
                        each.log()),
                Parts.chip(each.state()),
                Markup.of("<span class=\"num\">{}</span>/s", Words.rate(pace.handled())),
                rates.size() < 3
                        ? Markup.NOTHING
                        : Markup.of(
                                "<span class=\"spark\">{}</span>",
                                Chart.line(last(rates, 60), "Rows per second of " + each.title())),
                Parts.behind(each, scene),
                Parts.eta(each, pace, scene.now().at()),
                Markup.of(
                        "<span class=\"num\">{}</span> of {}",
                        each.owned(),
                        each.lanes().size()),
                aside(scene, each),
                Parts.text(each.members().size()));
    }

    private static Markup aside(Scene scene, Subscription each) {
        if (each.parked() + each.setAside() == 0) {
            return Markup.of("<span class=\"calm\">none</span>");
        }
        return Markup.of(
                "<a href=\"{}\">{}</a>",
                scene.link("/parked", "subscription", each.name()),
                each.parked() == 0
                        ? Words.count(each.setAside(), "key") + " retrying"
                        : Words.count(each.parked(), "key") + " parked");
    }

    static List<Double> last(List<Double> values, int most) {
        return values.subList(Math.max(0, values.size() - most), values.size());
    }
}
