package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pgbaton.dashboard.look.Schedule;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Page.Region;
import org.pgbaton.leadership.LeaderStatus;

/** Leaderships, schedules, processes and takeovers. */
final class LeadersPage {
    private LeadersPage() {}

    static Page render(Scene scene) {
        List<Region> regions = new ArrayList<>();
        regions.add(new Region("leaderships", Parts.panel("Leaderships", leaderships(scene))));
        regions.add(new Region("processes", Parts.panel("Processes", processes(scene))));
        regions.add(new Region(
                "takeovers",
                Parts.panel(
                        "Takeovers",
                        "seen while somebody looked",
                        Parts.takeovers(scene, scene.history().takeovers()))));
        regions.add(new Region("schedules", Parts.panel("Schedules", schedules(scene))));
        return new Page("Leaders", "/leaders", regions);
    }

    private static Markup leaderships(Scene scene) {
        List<LeaderStatus> all = scene.now().leaders();
        if (all.isEmpty()) {
            return Parts.empty("Nobody has bid for a leadership yet.", "Try: baton lead nightly -- echo hello");
        }
        List<List<Markup>> rows = all.stream()
                .map(each -> List.of(
                        Parts.text(each.name()),
                        Parts.chip(each.holder() == null ? "vacant" : "led"),
                        Parts.process(scene, each.holder()),
                        Words.ago(each.since()),
                        Markup.of("<span class=\"num\">{}</span>", each.epoch()),
                        Parts.text(
                                each.standbys().isEmpty()
                                        ? "none"
                                        : Words.shortened(String.join(", ", each.standbys()), 60)),
                        takeover(scene, each),
                        Markup.of("<span class=\"num\">{}</span>", Words.number(each.changes()))))
                .toList();
        return Parts.table(
                "Leaderships",
                List.of("Leadership", "State", "Leader", "Since", "Epoch", "Standbys", "Last takeover", "Changes"),
                rows);
    }

    private static Markup takeover(Scene scene, LeaderStatus each) {
        if (each.takenOverAt() == null) {
            return Markup.of("never");
        }
        return Markup.of(
                "{}{}{}",
                Words.ago(each.takenOverAt()),
                each.previousHolder() == null
                        ? Markup.NOTHING
                        : Markup.of(" from {}", Parts.process(scene, each.previousHolder())),
                each.vacantFor() == null
                        ? ""
                        : ", vacant for " + each.vacantFor().toMillis() + " ms");
    }

    private static Markup processes(Scene scene) {
        Map<String, Integer> all = scene.now().processes();
        if (all.isEmpty()) {
            return Parts.empty("No process is here.", "Start one that leads, or that has a subscription.");
        }
        List<List<Markup>> rows = new ArrayList<>();
        all.forEach((name, lanes) -> rows.add(List.of(
                Parts.process(scene, name),
                Markup.of("<span class=\"num\">{}</span>", lanes),
                Parts.text(Words.shortened(String.join(", ", subscriptionsOf(scene, name)), 80)),
                Parts.text(String.join(
                        ", ",
                        scene.now().leaders().stream()
                                .filter(each -> name.equals(each.holder()))
                                .map(LeaderStatus::name)
                                .toList())))));
        return Parts.table("Processes", List.of("Process", "Lanes", "Works for", "Leads"), rows);
    }

    private static List<String> subscriptionsOf(Scene scene, String process) {
        return scene.now().subscriptions().stream()
                .filter(each ->
                        each.members().stream().anyMatch(member -> member.who().equals(process)))
                .map(Subscription::title)
                .toList();
    }

    private static Markup schedules(Scene scene) {
        if (scene.now().schedules().isEmpty()) {
            return Parts.empty(
                    "There is no schedule.", "A duty at certain times is one: see the guide about schedules.");
        }
        List<List<Markup>> rows = scene.now().schedules().stream()
                .map(each -> schedule(scene, each))
                .toList();
        return Parts.table("Schedules", List.of("Schedule", "Cron", "Next due", "Last due", "Outcome", "Run by"), rows);
    }

    private static List<Markup> schedule(Scene scene, Schedule each) {
        Schedule.Run run = each.lastRun();
        return List.of(
                Parts.text(each.name()),
                Markup.of("<code>{}</code> {}", each.cron(), each.zone()),
                Words.when(each.nextDue()),
                run == null ? Markup.of("–") : Words.ago(run.due()),
                run == null ? Markup.of("–") : Markup.of("{} {}", Parts.chip(run.outcome()), run.error()),
                run == null ? Markup.of("–") : Parts.process(scene, run.by()));
    }
}
