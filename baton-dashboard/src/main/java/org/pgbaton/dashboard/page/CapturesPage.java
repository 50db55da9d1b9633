package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.List;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.dashboard.look.Capture;
import org.pgbaton.dashboard.page.Page.Region;

/** Captures, the WAL that the server keeps for them, and gaps. */
final class CapturesPage {
    private CapturesPage() {}

    static Page render(Scene scene) {
        List<Region> regions = new ArrayList<>();
        regions.add(new Region("captures", Parts.panel("Captures", captures(scene))));
        if (!scene.now().captures().isEmpty()) {
            regions.add(new Region("gaps", Parts.panel("Gaps", "changes that may be missing", gaps(scene))));
        }
        return new Page("Captures", "/captures", regions);
    }

    private static Markup captures(Scene scene) {
        List<Capture> all = scene.now().captures();
        if (all.isEmpty()) {
            return Parts.empty(
                    "There is no capture.", "A capture writes row changes to a log: 'captures' in baton.yaml.");
        }
        List<List<Markup>> rows = new ArrayList<>();
        for (Capture each : all) {
            rows.add(List.of(
                    Markup.of("{}<span class=\"aside block\">to {}</span>", each.name(), each.log()),
                    Parts.chip(each.state()),
                    Parts.process(scene, each.reader()),
                    Parts.text(Words.shortened(String.join(", ", each.tables()), 60)),
                    Markup.of("<span class=\"num\">{}</span>", Words.number(each.changes())),
                    Words.ago(each.changedAt()),
                    Markup.of("<span class=\"num\">{}</span>", Words.bytes(each.behindBytes())),
                    Markup.of("<span class=\"num\">{}</span>", Words.bytes(each.retainedBytes())),
                    note(each),
                    button(scene, each)));
        }
        return Parts.table(
                "Captures",
                List.of("Capture", "State", "Reader", "Tables", "Changes", "Last", "Behind", "WAL kept", "Note", ""),
                rows);
    }

    private static Markup note(Capture each) {
        if (each.problem() != null) {
            return Markup.of("<span class=\"error\">{}</span>", each.problem());
        }
        if (each.warning() != null) {
            return Markup.of("<span class=\"error\">{}</span>", each.warning());
        }
        return each.safeBytes() == null
                ? Markup.NOTHING
                : Markup.of("<span class=\"aside\">lost after {} more</span>", Words.bytes(each.safeBytes()));
    }

    private static Markup button(Scene scene, Capture each) {
        if (!scene.isOperator()) {
            return Markup.NOTHING;
        }
        boolean paused = each.state().equals("paused");
        return Parts.button(
                scene.link("/confirm", "action", paused ? "resume-capture" : "pause-capture", "capture", each.name()),
                paused ? "Resume" : "Pause",
                "small");
    }

    private static Markup gaps(Scene scene) {
        List<CaptureGap> gaps = scene.details().gaps();
        if (gaps.isEmpty()) {
            return Parts.empty("There is no gap.", "Every change since each capture began is in its log.");
        }
        List<Markup> items = gaps.stream()
                .map(each -> Markup.of(
                        "<li><div>{} {}<p class=\"aside\">found {}; {}</p></div></li>",
                        Parts.chip(each.isOpen() ? "lost" : "settled"),
                        each.sentence(),
                        Words.ago(each.foundAt()),
                        each.isOpen() ? each.advice() : "settled by " + each.settledBy() + ": " + each.reason()))
                .toList();
        return Markup.of("<ul class=\"errors\">{}</ul>", items);
    }
}
