package org.pgbaton.server.subscriptions;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.command.Output;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.SubscriptionStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton subscriptions show}. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Who is alive, who owns which lane and how far it is, for each target of the subscription.",
        header = {
            "Shows one subscription, lane by lane.",
            "",
            "Examples:",
            "  baton subscriptions show balances",
            "  baton subscriptions show balances --json | jq '.targets[0].laneStatus[] | select(.owner == null)'",
            ""
        })
final class ShowCommand extends OperatorCommand {
    private static final List<String> HEAD =
            List.of("LANE", "OWNER", "OWNED SINCE", "EPOCH", "POSITION", "OLDEST WAITING", "HELD BACK BY");

    @Parameters(index = "0", paramLabel = "NAME", description = "The subscription.")
    private String name = "";

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) {
        List<SubscriptionStatus> targets = NamedSubscription.targets(baton, name);
        if (json) {
            List<Object> all = new ArrayList<>();
            for (SubscriptionStatus target : targets) {
                Map<String, @Nullable Object> map = target.asMap();
                map.put(
                        "laneStatus",
                        lanes(chosen, target).stream().map(Lanes.Lane::asMap).toList());
                all.add(map);
            }
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", name);
            map.put("targets", all);
            Output.json(map);
        } else {
            for (int i = 0; i < targets.size(); i++) {
                System.out.print(i == 0 ? "" : "\n");
                print(targets.get(i), lanes(chosen, targets.get(i)));
            }
        }
        return ExitCode.DONE;
    }

    private List<Lanes.Lane> lanes(ChosenDatabase chosen, SubscriptionStatus target) {
        return new Lanes(chosen.sessions(), chosen.schema(), target).all();
    }

    private static void print(SubscriptionStatus status, List<Lanes.Lane> lanes) {
        Instant now = Instant.now();
        line(
                "subscription",
                status.name()
                        + (status.target().isEmpty() && status.live()
                                ? ""
                                : ", target " + SubscriptionOutput.target(status)));
        line("log", status.log() + (status.order() == MessageOrder.TOTAL ? ", in total order" : ", in order per key"));
        line("state", status.state().word() + (status.note() == null ? "" : ": " + status.note()));
        List<String> members = status.ownership().members();
        line("members", members.isEmpty() ? "none is alive" : String.join(", ", members));
        line(
                "position",
                Output.number(status.backlog().position())
                        + (status.backlog().isEmpty()
                                ? ", nothing waits"
                                : ", " + Output.number(status.backlog().positions())
                                        + " behind; the oldest message has waited for "
                                        + Durations.shown(status.backlog().age())));
        line(
                "keys",
                status.keys().parked() + " parked, " + status.keys().setAside() + " set aside for now"
                        + (status.keys().parked() == 0 ? "" : ": see 'baton parked list " + status.name() + "'"));
        line("created", Durations.ago(status.createdAt(), now));
        Output.line("");
        Output.text(
                Output.table(HEAD, lanes.stream().map(lane -> row(lane, now)).toList()));
    }

    private static void line(String what, String value) {
        Output.line(String.format("%-13s %s", what, value));
    }

    private static List<String> row(Lanes.Lane lane, Instant now) {
        return List.of(
                lane.number() < 0 ? "all" : Integer.toString(lane.number()),
                lane.owner() == null ? "(nobody)" : lane.owner(),
                Durations.ago(lane.since(), now),
                Long.toString(lane.epoch()),
                Output.number(lane.position()),
                Durations.ago(lane.waitingSince(), now),
                lane.heldBackBy() == null ? "" : Output.shortened(lane.heldBackBy(), 80));
    }
}
