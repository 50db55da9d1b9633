package org.pgbaton.dashboard.page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.dashboard.look.Capture;
import org.pgbaton.dashboard.look.Pace;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.page.Trouble.Level;

/** Says in one sentence how everything is, and what is wrong, the worst first. Immutable. */
public final class Verdict {
    private static final Duration LATE = Duration.ofSeconds(30);
    private static final long MUCH_WAL = 1L << 30;

    private final List<Trouble> troubles;

    private Verdict(List<Trouble> troubles) {
        this.troubles = troubles;
    }

    public static Verdict of(Scene scene) {
        List<Trouble> all = new ArrayList<>();
        String away = scene.now().trouble();
        if (away != null) {
            all.add(new Trouble(
                    Level.BAD,
                    "The database does not answer: " + Words.shortened(away, 200),
                    "What is shown below was seen before.",
                    scene.link("/")));
        }
        scene.now().captures().forEach(each -> capture(all, each, scene));
        scene.now().subscriptions().forEach(each -> subscription(all, each, scene));
        scene.served().forEach(each -> served(all, each, scene));
        all.sort(Comparator.comparing(Trouble::level));
        return new Verdict(all);
    }

    private static void capture(List<Trouble> all, Capture capture, Scene scene) {
        String name = "Capture '" + capture.name() + "'";
        String link = scene.link("/captures");
        switch (capture.state()) {
            case "lost" ->
                all.add(new Trouble(
                        Level.BAD,
                        name + " has lost its slot, and with it the changes since then.",
                        "Take a snapshot of its tables.",
                        link));
            case "stopped" ->
                all.add(new Trouble(
                        Level.BAD,
                        name + " has stopped: " + Words.shortened(String.valueOf(capture.problem()), 160),
                        "Look at the change that holds it up.",
                        link));
            case "waiting" ->
                all.add(new Trouble(
                        Level.WARN,
                        "Nobody reads for capture '" + capture.name() + "'; the server keeps "
                                + Words.bytes(capture.retainedBytes()) + " of WAL for it.",
                        "Start a process that has it in its configuration.",
                        link));
            case "paused" ->
                all.add(new Trouble(
                        Level.NOTE,
                        name + " is paused; the server keeps " + Words.bytes(capture.retainedBytes()) + " of WAL.",
                        "Resume it before the disk is full.",
                        link));
            default -> {}
        }
        whatItLeaves(all, capture, name, link);
    }

    /** Gaps in the log, and WAL on the server's disk, whatever its state. */
    private static void whatItLeaves(List<Trouble> all, Capture capture, String name, String link) {
        if (capture.gaps() > 0) {
            all.add(new Trouble(
                    Level.BAD,
                    name + " has " + Words.count(capture.gaps(), "gap") + ": changes may be missing from its log.",
                    "Look at what is missing, and settle it.",
                    link));
        }
        if (capture.retainedBytes() != null && capture.retainedBytes() > MUCH_WAL) {
            all.add(new Trouble(
                    Level.WARN,
                    "The server keeps " + Words.bytes(capture.retainedBytes()) + " of WAL for capture '"
                            + capture.name() + "'.",
                    "See whether it catches up.",
                    link));
        }
    }

    private static void subscription(List<Trouble> all, Subscription each, Scene scene) {
        String name = "‘" + each.title() + "’";
        String link = scene.link("/subscription", "name", each.name(), "target", each.target());
        if (each.parked() > 0) {
            all.add(parked(each, scene, name));
        }
        Trouble wanted = wanted(each, name, link);
        if (wanted != null) {
            all.add(wanted);
        }
        if (wanted == null && !each.state().equals("retired")) {
            work(all, each, scene, name, link);
        }
    }

    private static Trouble parked(Subscription each, Scene scene, String name) {
        return new Trouble(
                Level.WARN,
                Words.count(each.parked(), "key") + " of " + name + (each.parked() == 1 ? " is" : " are") + " parked; "
                        + Words.count(each.waiting(), "message") + (each.waiting() == 1 ? " waits." : " wait."),
                "See why, then retry or skip.",
                scene.link("/parked", "subscription", each.name()));
    }

    /** Null if nobody has stopped or paused it. */
    private static @Nullable Trouble wanted(Subscription each, String name, String link) {
        return switch (each.state()) {
            case "stopped" ->
                new Trouble(
                        Level.BAD,
                        name + " has stopped: " + Words.shortened(String.valueOf(each.note()), 160),
                        "Remove the cause, then resume it.",
                        link);
            case "paused" ->
                new Trouble(
                        Level.NOTE,
                        name + " is paused" + (each.note() == null ? "." : ": " + Words.shortened(each.note(), 120)),
                        "Resume it when the reason is gone.",
                        link);
            default -> null;
        };
    }

    private static void work(List<Trouble> all, Subscription each, Scene scene, String name, String link) {
        if (each.members().isEmpty()) {
            all.add(new Trouble(
                    each.behind() > 0 ? Level.BAD : Level.WARN,
                    "Nobody works for " + name + "; " + Words.number(each.behind()) + " rows wait.",
                    "Start a process that has this subscription.",
                    link));
            return;
        }
        if (each.lockedBy() != null) {
            all.add(new Trouble(
                    Level.BAD,
                    "A lock of " + name + " is held by a stranger: " + Words.shortened(each.lockedBy(), 120),
                    "End that session.",
                    link));
        }
        late(all, each, scene, name, link);
    }

    private static void late(List<Trouble> all, Subscription each, Scene scene, String name, String link) {
        Duration lag = each.lag(scene.now().at());
        if (lag.compareTo(LATE) < 0) {
            return;
        }
        String behind = name + " is " + Words.number(each.behind()) + " rows and " + Words.duration(lag) + " behind";
        if (each.heldBackBy() != null) {
            all.add(new Trouble(
                    Level.WARN,
                    behind + ", because it waits for " + Words.shortened(each.heldBackBy(), 120) + ".",
                    "End that transaction.",
                    link));
            return;
        }
        Pace pace = scene.history().pace(each);
        all.add(
                pace.left() == null
                        ? new Trouble(Level.WARN, behind + ", and does not catch up.", "Look at its lanes.", link)
                        : new Trouble(
                                Level.NOTE,
                                behind + ", and catches up in about " + Words.duration(pace.left()) + ".",
                                "Nothing to do.",
                                link));
    }

    private static void served(List<Trouble> all, ServedPart part, Scene scene) {
        String trouble = part.trouble();
        if (!part.healthy() && trouble != null) {
            all.add(new Trouble(
                    Level.WARN,
                    "In this process " + part.kind() + " '" + part.name() + "' has trouble: "
                            + Words.shortened(trouble, 160),
                    "See whether its target answers.",
                    scene.link("/relays")));
        }
    }

    public List<Trouble> troubles() {
        return troubles;
    }

    /** "good", "note", "warn" or "bad". */
    public String level() {
        return troubles.isEmpty() ? "good" : troubles.get(0).level().word();
    }

    /** One sentence. */
    public String sentence(Scene scene) {
        long serious =
                troubles.stream().filter(each -> each.level() != Level.NOTE).count();
        if (serious > 0) {
            return serious == 1 ? "One thing needs attention." : serious + " things need attention.";
        }
        if (scene.now().subscriptions().isEmpty() && scene.now().leaders().isEmpty()) {
            return "Nothing runs here yet.";
        }
        return troubles.isEmpty() ? "All well." : "All well, apart from what somebody wanted so.";
    }
}
