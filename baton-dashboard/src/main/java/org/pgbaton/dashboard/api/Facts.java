package org.pgbaton.dashboard.api;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.dashboard.look.Capture;
import org.pgbaton.dashboard.look.ErrorGroup;
import org.pgbaton.dashboard.look.FoundMessage;
import org.pgbaton.dashboard.look.Lane;
import org.pgbaton.dashboard.look.Pace;
import org.pgbaton.dashboard.look.Schedule;
import org.pgbaton.dashboard.look.Subscription;
import org.pgbaton.dashboard.look.Takeover;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.subscription.OperatorAction;
import org.pgbaton.subscription.ParkedKey;

/** What was seen, as JSON objects, in the words of {@code baton status --json} and its like. */
final class Facts {
    private Facts() {}

    private static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return map;
    }

    private static @Nullable Double seconds(@Nullable Duration duration) {
        return duration == null ? null : duration.toNanos() / 1e9;
    }

    static Map<String, @Nullable Object> leadership(LeaderStatus status) {
        return object(
                "name", status.name(),
                "state", status.holder() == null ? "vacant" : "led",
                "holder", status.holder(),
                "epoch", status.epoch(),
                "since", status.since(),
                "standbys", status.standbys(),
                "previousHolder", status.previousHolder(),
                "takenOverAt", status.takenOverAt(),
                "vacantSeconds", seconds(status.vacantFor()),
                "changes", status.changes(),
                "key", Long.toString(status.key())); // a text, because JavaScript and jq would round the number
    }

    static Map<String, @Nullable Object> schedule(Schedule schedule) {
        Schedule.Run run = schedule.lastRun();
        return object(
                "name", schedule.name(),
                "cron", schedule.cron(),
                "zone", schedule.zone(),
                "missed", schedule.missed(),
                "nextDue", schedule.nextDue(),
                "holder", schedule.holder(),
                "lastRun",
                        run == null
                                ? null
                                : object(
                                        "due", run.due(),
                                        "started", run.started(),
                                        "ended", run.ended(),
                                        "outcome", run.outcome(),
                                        "by", run.by(),
                                        "error", run.error()));
    }

    static Map<String, @Nullable Object> subscription(Subscription each, Instant now) {
        return object(
                "name", each.name(),
                "target", each.target(),
                "live", each.live(),
                "log", each.log(),
                "order", each.order(),
                "state", each.state(),
                "note", each.note(),
                "members", each.members().stream().map(Subscription.Member::who).toList(),
                "lanes", each.lanes().size(),
                "lanesOwned", each.owned(),
                "position", each.position(),
                "behind", each.behind(),
                "lagSeconds", seconds(each.lag(now)),
                "parkedKeys", each.parked(),
                "setAsideKeys", each.setAside(),
                "heldBackBy", each.heldBackBy(),
                "epoch", each.epoch(),
                "createdAt", each.createdAt());
    }

    static Map<String, @Nullable Object> withPace(Subscription each, Instant now, Pace pace) {
        Map<String, @Nullable Object> map = subscription(each, now);
        map.put("handledPerSecond", pace.handled());
        map.put("writtenPerSecond", pace.written());
        map.put("upToDateInSeconds", seconds(pace.left()));
        map.put("waitingMessages", each.waiting());
        map.put("publishesTo", each.publishesTo());
        return map;
    }

    static Map<String, @Nullable Object> lane(Subscription subscription, Lane lane) {
        return object(
                "subscription", subscription.name(),
                "target", subscription.target(),
                "lane", lane.number(),
                "owner", lane.owner(),
                "ownedSince", lane.ownedSince(),
                "position", lane.position(),
                "epoch", lane.epoch(),
                "waitingSince", lane.waitingSince(),
                "heldBackBy", lane.heldBackBy(),
                "lockedBy", lane.lockedBy());
    }

    static Map<String, @Nullable Object> member(Subscription subscription, Subscription.Member member) {
        return object(
                "subscription",
                subscription.name(),
                "target",
                subscription.target(),
                "who",
                member.who(),
                "joinedAt",
                member.since(),
                "lanes",
                subscription.lanes().stream()
                        .filter(lane -> member.who().equals(lane.owner()))
                        .map(Lane::number)
                        .toList());
    }

    static Map<String, @Nullable Object> parked(ParkedKey key) {
        return object(
                "subscription", key.subscription(),
                "target", key.target(),
                "key", key.key(),
                "state", key.state().word(),
                "head", key.head(),
                "waiting", key.waiting(),
                "attempts", key.attempts(),
                "since", key.since(),
                "nextAttemptAt", key.state() == ParkedKey.State.PARKED ? null : key.nextAttemptAt(),
                "error", key.error());
    }

    static Map<String, @Nullable Object> error(ErrorGroup group) {
        return object(
                "subscription", group.subscription(),
                "target", group.target(),
                "text", group.text(),
                "example", group.example(),
                "keys", group.keys(),
                "waiting", group.waiting(),
                "latest", group.latest());
    }

    static Map<String, @Nullable Object> capture(Capture capture) {
        return object(
                "name", capture.name(),
                "state", capture.state(),
                "log", capture.log(),
                "tables", capture.tables(),
                "operations", capture.operations(),
                "publication", capture.publication(),
                "ownPublication", capture.ownPublication(),
                "slot", capture.slot(),
                "reader", capture.reader(),
                "epoch", capture.epoch(),
                "changes", capture.changes(),
                "changedAt", capture.changedAt(),
                "walStatus", capture.walStatus(),
                "safeBytes", capture.safeBytes(),
                "retainedBytes", capture.retainedBytes(),
                "behindBytes", capture.behindBytes(),
                "problem", capture.problem(),
                "problemSince", capture.problemSince(),
                "createdAt", capture.createdAt(),
                "warning", capture.warning(),
                "gaps", capture.gaps());
    }

    static Map<String, @Nullable Object> gap(CaptureGap gap) {
        return object(
                "capture", gap.capture(),
                "table", gap.table(),
                "what", gap.what(),
                "fromLsn", gap.fromLsn(),
                "from", gap.from(),
                "toLsn", gap.toLsn(),
                "to", gap.to(),
                "foundAt", gap.foundAt(),
                "settledAt", gap.settledAt(),
                "settledBy", gap.settledBy(),
                "reason", gap.reason());
    }

    static Map<String, @Nullable Object> served(ServedPart part) {
        return object(
                "kind", part.kind(),
                "name", part.name(),
                "subscription", part.subscription(),
                "sendsTo", part.sendsTo(),
                "state", part.state(),
                "healthy", part.healthy(),
                "trouble", part.trouble(),
                "targetAway", part.targetAway());
    }

    static Map<String, @Nullable Object> takeover(Takeover takeover) {
        return object(
                "at", takeover.at(),
                "what", takeover.what(),
                "lanes", takeover.lanes(),
                "from", takeover.from(),
                "to", takeover.to(),
                "handedOver", takeover.handedOver(),
                "seconds", seconds(takeover.took()),
                "epoch", takeover.epoch());
    }

    static Map<String, @Nullable Object> action(OperatorAction action) {
        return object(
                "at", action.at(),
                "who", action.who(),
                "what", action.what(),
                "subject", action.subject(),
                "detail", action.detail(),
                "reason", action.reason(),
                "user", action.byUser());
    }

    static Map<String, @Nullable Object> message(FoundMessage message, boolean withPayload) {
        List<Map<String, @Nullable Object>> path = message.path().stream()
                .map(stop -> object(
                        "subscription", stop.subscription().name(),
                        "target", stop.subscription().target(),
                        "state", stop.state().word(),
                        "by", stop.who(),
                        "at", stop.at(),
                        "before", stop.before(),
                        "sentence", stop.sentence()))
                .toList();
        return object(
                "log", message.log(),
                "position", message.position(),
                "id", message.id(),
                "lane", message.lane(),
                "key", message.key(),
                "topic", message.topic(),
                "type", message.type(),
                "recordedAt", message.recordedAt(),
                "bytes", message.bytes(),
                "headers", withPayload ? message.headers() : null,
                "payload", withPayload ? message.json() : null,
                "path", path);
    }
}
