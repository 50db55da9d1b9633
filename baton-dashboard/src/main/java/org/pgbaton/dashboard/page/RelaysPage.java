package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Page.Region;

/** What publishes: relays and channels, in the whole database and in this process. */
final class RelaysPage {
    private RelaysPage() {}

    static Page render(Scene scene) {
        List<Region> regions = new ArrayList<>();
        regions.add(new Region("served", Parts.panel("In this process", served(scene))));
        regions.add(new Region("relays", Parts.panel("In the whole database", relays(scene))));
        return new Page("Relays and channels", "/relays", regions);
    }

    private static Markup served(Scene scene) {
        if (scene.served().isEmpty()) {
            return Parts.empty(
                    "This process publishes nothing.", "A relay or a channel of 'baton serve' shows up here.");
        }
        List<List<Markup>> rows = scene.served().stream()
                .map(each -> List.of(
                        Parts.text(each.name()),
                        Parts.text(each.kind()),
                        Parts.chip(each.state()),
                        circuit(each),
                        Parts.text(each.sendsTo() == null ? "–" : each.sendsTo()),
                        Markup.of("<span class=\"error\">{}</span>", each.trouble())))
                .toList();
        return Parts.table("In this process", List.of("Name", "Kind", "State", "Circuit", "Sends to", "Trouble"), rows);
    }

    /** An outage of the target pauses a relay, which then tries one message after growing pauses: an open breaker. Parked keys do not open it. */
    private static Markup circuit(ServedPart part) {
        if (part.sendsTo() == null) {
            return Markup.of("–");
        }
        return part.targetAway()
                ? Markup.of("<span class=\"chip chip-bad\">open</span>")
                : Markup.of("<span class=\"chip chip-good\">closed</span>");
    }

    private static Markup relays(Scene scene) {
        List<Subscription> all = scene.now().subscriptions().stream()
                .filter(each -> each.publishesTo() != null
                        || scene.served().stream().anyMatch(part -> each.name().equals(part.subscription())))
                .toList();
        return all.isEmpty()
                ? Parts.empty("There is no relay.", "A relay is a subscription that publishes: 'relays' in baton.yaml.")
                : SubscriptionsPage.table(scene, all);
    }
}
