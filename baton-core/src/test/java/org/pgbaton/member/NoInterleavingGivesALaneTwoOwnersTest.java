package org.pgbaton.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.explore.Actor;
import org.pgbaton.explore.Choices;
import org.pgbaton.explore.Explorer;
import org.pgbaton.explore.Model;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.Tenure;

/**
 * The ownership of lanes over interleavings: members that join, leave, die, freeze and wake up, and whose sessions the server ends at any time;
 * work that is begun, closed and committed meanwhile.
 *
 * <p>Claims. Nothing is committed for a lane by a tenure after a later one has begun, and every message is applied once, in order.
 * When it is calm, every message is applied, every member that lives owns its fair share, and nothing moves any more.
 *
 * <p>The fair share, and which lanes are given back, kept and tried first, are {@link FairShare} and {@link Balance}; lanes are {@link Lane},
 * as in production. The order of steps is that of {@link LaneOwnership}, of the session with the lanes' locks, and of a projection's
 * batch, written down here once more. PostgreSQL is a model. It assumes: locks belong to sessions and go with them; an UPDATE waits for whoever
 * has changed the row, and then sees what that one committed; a transaction whose process died is rolled back, that of one that is frozen
 * sooner or later. A member whose session is gone notices at some time, and works on until then: no lease protects it here.
 */
class NoInterleavingGivesALaneTwoOwnersTest {
    private static final int SCHEDULES = 5_000;

    private enum Mistake {
        THE_CLOSE_DOES_NOT_ASK_FOR_THE_EPOCH,
        THE_EPOCH_IS_ASKED_FOR_ONLY_BEFORE_THE_WORK,
        THE_CHECKPOINT_IS_READ_BEFORE_THE_EPOCH_IS_RAISED,
        A_LANE_IS_TAKEN_WITHOUT_A_NEW_EPOCH,
        LANES_ARE_GIVEN_BACK_DOWN_TO_THE_LEAST_SHARE_AND_ASKED_FOR_UP_TO_THE_LARGEST,
        SURPLUS_IS_NOT_GIVEN_BACK,
        NONE
    }

    @Test
    void noneThatCouldCommitAndInTheEndAllHaveTheirShare() {
        Explorer.holds(SCHEDULES, choices -> new Subscription(Mistake.NONE, choices));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMistakeIsFound(Mistake mistake) {
        assertThat(Explorer.finds(SCHEDULES, choices -> new Subscription(mistake, choices)))
                .containsAnyOf("after a later tenure", "was applied", "do not come to rest", "fair share");
    }

    /** A row of the table of checkpoints, and the lock of its lane. */
    private static final class Checkpoint {
        final int id;
        long epoch;
        long position;
        /** How far the log goes. */
        long end;

        int tenures;
        /** Before the epoch was raised. */
        long readEarly;

        @Nullable
        Session lock;
        /** Has changed the row, and has not ended. */
        @Nullable
        Work changedBy;

        Checkpoint(int id) {
            this.id = id;
        }

        @Override
        public String toString() {
            return "lane " + id + " (epoch " + epoch + ", position " + position + " of " + end + ", "
                    + (lock == null ? "free" : "of member " + lock.number) + ')';
        }
    }

    /** A session with the locks of a member and of its lanes, as the server sees it. */
    private static final class Session {
        final int number;
        boolean isEnded;

        Session(int number) {
            this.number = number;
        }
    }

    /** What a session is to say. */
    private record WorkerTask(String what, Runnable body) {
        @Override
        public String toString() {
            return what;
        }
    }

    /** A transaction for one lane. */
    private static final class Work {
        final Lane lane;
        final Checkpoint row;
        final int tenure;
        boolean isRolledBack;

        Work(Lane lane, Checkpoint row, int tenure) {
            this.lane = lane;
            this.row = row;
            this.tenure = tenure;
        }
    }

    private static final class Subscription extends Model {
        private final Mistake mistake;
        private final List<Checkpoint> rows = new ArrayList<>();
        private final List<Session> sessions = new ArrayList<>();
        private final List<Member> members = new ArrayList<>();
        private final Map<Lane, Integer> tenures = new LinkedHashMap<>();
        private int numbers;
        private long epochs;
        /** Grows with everything that a look could show. */
        private int changes;

        private boolean isCalm;
        private String before = "";

        Subscription(Mistake mistake, Choices choices) {
            this.mistake = mistake;
            int lanes = 1 + choices.of(4);
            for (int i = 0; i < lanes; i++) {
                rows.add(new Checkpoint(i));
            }
            int many = 2 + choices.of(2);
            for (int i = 0; i < many; i++) {
                members.add(new Member(i));
            }
            Actor writer = actor("A writer");
            for (int i = 0; i < 5; i++) {
                Checkpoint row = rows.get(choices.of(lanes));
                writer.then("writes to lane " + row.id, () -> row.end++);
            }
            int troubles = choices.of(4);
            for (int i = 0; i < troubles; i++) {
                trouble(i, members.get(choices.of(many)), choices);
            }
        }

        private void trouble(int number, Member member, Choices choices) {
            Actor actor = actor("Trouble " + number + ": member " + member.number);
            switch (choices.of(6)) {
                case 0 -> actor.then("dies", member::die);
                case 1 -> actor.then("leaves", () -> member.isLeaving = true);
                case 2 -> actor.then("loses its session", () -> end(member.session));
                default -> {
                    actor.then("freezes", () -> member.isFrozen = true);
                    if (!choices.oneIn(4)) {
                        actor.then("loses its session", () -> end(member.session));
                    }
                    if (choices.oneIn(3)) {
                        actor.then("loses its transaction", member::endWork);
                    }
                    // The others do all they can before some of them wake up.
                    if (choices.oneIn(2)) {
                        actor.then("wakes up", () -> member.isFrozen = false);
                    }
                }
            }
        }

        private void end(Session session) {
            session.isEnded = true;
            sessions.remove(session);
            rows.stream().filter(row -> row.lock == session).forEach(row -> row.lock = null);
            changes++;
        }

        /** One process's part. */
        private final class Member {
            private final int number;
            private final Map<Integer, Lane> lanes = new LinkedHashMap<>();
            private final Set<Integer> coming = new HashSet<>();
            private final Queue<WorkerTask> tasks = new ArrayDeque<>();
            /** Locked, and not yet tried to be taken; or tried in vain. */
            private final Queue<Integer> fresh = new ArrayDeque<>();

            private final Queue<Integer> toBump = new ArrayDeque<>();
            private final Actor hub;
            private final Actor talker;
            private final Actor worker;
            private final Actor background;
            private Session session = new Session(0);
            private boolean isJoined;
            private boolean isFrozen;
            private boolean isDead;
            private boolean isLeaving;
            private boolean isAsking;
            private boolean isStirred = true;
            private int seen = -1;
            private Set<Integer> alive = Set.of();
            private Set<Integer> owned = Set.of();
            private @Nullable Work work;

            Member(int number) {
                this.number = number;
                this.hub = actor("The hub of member " + number);
                this.talker = actor("The session of member " + number);
                this.worker = actor("The worker of member " + number);
                this.background = actor("The background tasks of member " + number);
                session.isEnded = true;
                watch();
                talk();
                work();
            }

            private BooleanSupplier awake(BooleanSupplier and) {
                return () -> !isFrozen && !isDead && and.getAsBoolean();
            }

            // ---- the hub

            private void watch() {
                hub.when(awake(() -> isStirred || seen != changes), "looks", () -> {
                    isStirred = false;
                    seen = changes;
                    alive = new HashSet<>();
                    sessions.forEach(each -> alive.add(each.number));
                    owned = new HashSet<>();
                    rows.stream().filter(row -> row.lock != null).forEach(row -> owned.add(row.id));
                    hub.when(awake(() -> true), "balances", () -> {
                        if (isJoined && !isLeaving) {
                            rebalance();
                        }
                        dispatch();
                        watch();
                    });
                });
            }

            /** As in {@link LaneOwnership}. */
            private void rebalance() {
                Set<Integer> all = new HashSet<>(alive);
                all.add(session.number);
                int share = FairShare.of(rows.size(), all, session.number);
                int least = share;
                if (mistake == Mistake.LANES_ARE_GIVEN_BACK_DOWN_TO_THE_LEAST_SHARE_AND_ASKED_FOR_UP_TO_THE_LARGEST) {
                    least = rows.size() / all.size();
                    share = (rows.size() + all.size() - 1) / all.size();
                }
                List<Lane> staying = lanes.values().stream()
                        .filter(lane -> !lane.isLeaving() && !lane.isSurplus())
                        .toList();
                if (staying.size() < share) {
                    Balance.kept(lanes.values(), share - staying.size()).forEach(Lane::keep);
                }
                if (staying.size() > least) {
                    Balance.surplus(staying, least).stream()
                            .filter(lane -> mistake != Mistake.SURPLUS_IS_NOT_GIVEN_BACK)
                            .forEach(lane -> lane.setSurplus(0));
                } else if (staying.size() < share && !isAsking) {
                    ask(share - lanes.size() - coming.size(), all);
                }
            }

            private void ask(int wanted, Set<Integer> all) {
                List<Integer> free = new ArrayList<>();
                rows.forEach(row -> free.add(row.id));
                free.removeIf(id -> lanes.containsKey(id) || owned.contains(id) || coming.contains(id));
                if (free.isEmpty() || wanted <= 0) {
                    return;
                }
                Balance.beginElsewhere(free, all, session.number);
                isAsking = true;
                List<Integer> first = List.copyOf(free.subList(0, Math.min(wanted, free.size())));
                tasks.add(new WorkerTask("tries lanes " + first, () -> take(first)));
            }

            /** Gives back what is more than its share, and what it has lost. */
            private void dispatch() {
                for (Lane lane : List.copyOf(lanes.values())) {
                    if ((lane.isLeaving() || lane.isSurplus()) && !lane.isBusy()) {
                        lanes.remove(lane.checkpoint().number());
                        lane.lose();
                        Session mine = session;
                        tasks.add(new WorkerTask(
                                "frees lane " + lane.checkpoint().number(),
                                () -> release(mine, lane.checkpoint().number())));
                        isStirred = true;
                    }
                }
            }

            // ---- the session

            private void talk() {
                talker.when(awake(this::hasSomethingToSay), () -> String.valueOf(nextTask()), () -> {
                    WorkerTask task = nextTask();
                    if (task != null) {
                        task.body().run();
                    }
                    talk();
                });
            }

            private boolean hasSomethingToSay() {
                return session.isEnded
                        || !fresh.isEmpty()
                        || !tasks.isEmpty()
                        || (isLeaving && work == null)
                        || nextToBump() != null;
            }

            private @Nullable WorkerTask nextTask() {
                Integer bump = fresh.isEmpty() ? nextToBump() : fresh.peek();
                if (session.isEnded) {
                    return new WorkerTask("joins", this::rejoin);
                } else if (isLeaving && work == null) {
                    return new WorkerTask("leaves", this::leave);
                } else if (bump != null && (!fresh.isEmpty() || tasks.isEmpty())) {
                    Checkpoint row = rows.get(bump);
                    return new WorkerTask("takes lane " + bump, () -> bump(row));
                }
                WorkerTask task = tasks.peek();
                return task == null
                        ? null
                        : new WorkerTask(task.what(), () -> {
                            tasks.remove();
                            task.body().run();
                        });
            }

            private void bump(Checkpoint row) {
                if (!fresh.remove(row.id)) {
                    toBump.remove(row.id);
                }
                if (row.changedBy == null) {
                    raise(row);
                } else {
                    toBump.add(row.id);
                }
                if (fresh.isEmpty()) {
                    isAsking = false;
                    isStirred = true;
                }
            }

            /** One whose row nobody has changed, or whose changes have ended: the others are tried again later. */
            private @Nullable Integer nextToBump() {
                for (Integer id : toBump) {
                    if (rows.get(id).changedBy == null) {
                        return id;
                    }
                }
                return null;
            }

            private void rejoin() {
                lanes.values().forEach(Lane::lose);
                lanes.clear();
                coming.clear();
                toBump.clear();
                fresh.clear();
                tasks.clear();
                isAsking = false;
                session = new Session(++numbers);
                sessions.add(session);
                isJoined = true;
                isStirred = true;
                changes++;
            }

            private void take(List<Integer> wanted) {
                for (int id : wanted) {
                    Checkpoint row = rows.get(id);
                    if (row.lock == null) {
                        row.lock = session;
                        row.readEarly = row.position;
                        fresh.add(id);
                        changes++;
                    }
                }
                isAsking = !fresh.isEmpty();
                isStirred = true;
            }

            /** After the lock: the next epoch, and then the checkpoint. */
            private void raise(Checkpoint row) {
                if (mistake != Mistake.A_LANE_IS_TAKEN_WITHOUT_A_NEW_EPOCH) {
                    row.epoch = ++epochs;
                }
                row.tenures++;
                boolean early = mistake == Mistake.THE_CHECKPOINT_IS_READ_BEFORE_THE_EPOCH_IS_RAISED;
                long position = early ? row.readEarly : row.position;
                Lane lane = new Lane(
                        new LaneGroup(row.id), new Tenure(new CheckpointId(row.id), row.epoch, position, "1", null), 0);
                tenures.put(lane, row.tenures);
                coming.add(row.id);
                Session mine = session;
                background.when(awake(() -> true), "opens lane " + row.id, () -> {
                    if (mine == session) { // else it is not trusted any more
                        coming.remove(row.id);
                        lanes.put(row.id, lane);
                        isStirred = true;
                    }
                });
            }

            private void release(Session mine, int id) {
                if (mine == session) {
                    rows.get(id).lock = null;
                    changes++;
                }
            }

            private void leave() {
                lanes.clear();
                end(session);
                isDead = true;
            }

            private void die() {
                isDead = true;
                endWork();
                end(session);
            }

            // ---- the worker

            private @Nullable Lane ready() {
                for (Lane lane : lanes.values()) {
                    if (!lane.isBusy()
                            && !lane.isLeaving()
                            && lane.reached() < rows.get(lane.group().number()).end) {
                        return lane;
                    }
                }
                return null;
            }

            private void work() {
                worker.when(awake(() -> !isLeaving && ready() != null), "begins a batch", () -> {
                    Lane lane = ready();
                    if (lane == null) {
                        return;
                    }
                    Checkpoint row = rows.get(lane.group().number());
                    Work mine = new Work(lane, row, tenures.getOrDefault(lane, 0));
                    work = mine;
                    lane.setBusy(true);
                    if (row.epoch != lane.tenure().epoch()) {
                        fail(mine);
                        return;
                    }
                    worker.when(
                            awake(() -> row.changedBy == null || mine.isRolledBack),
                            "closes lane " + row.id,
                            () -> close(mine));
                });
            }

            private void close(Work mine) {
                Checkpoint row = mine.row;
                if (mine.isRolledBack || !isStillOurs(mine)) {
                    fail(mine);
                    return;
                }
                row.changedBy = mine;
                worker.when(awake(() -> true), "commits lane " + row.id, () -> commit(mine));
            }

            private boolean isStillOurs(Work mine) {
                boolean sameEpoch = mine.row.epoch == mine.lane.tenure().epoch();
                boolean samePosition = mine.row.position == mine.lane.stored();
                return switch (mistake) {
                    case THE_CLOSE_DOES_NOT_ASK_FOR_THE_EPOCH -> samePosition;
                    case THE_EPOCH_IS_ASKED_FOR_ONLY_BEFORE_THE_WORK -> true;
                    case THE_CHECKPOINT_IS_READ_BEFORE_THE_EPOCH_IS_RAISED -> sameEpoch;
                    default -> sameEpoch && samePosition;
                };
            }

            private void commit(Work mine) {
                if (mine.isRolledBack) {
                    fail(mine);
                    return;
                }
                Checkpoint row = mine.row;
                require(
                        mine.tenure == row.tenures,
                        () -> "Member " + number + " committed for lane " + row.id + " after a later tenure began.");
                long applied = mine.lane.reached() + 1;
                require(
                        applied == row.position + 1,
                        () -> "Message " + applied + " of lane " + row.id + " was applied after " + row.position + '.');
                row.position = applied;
                row.changedBy = null;
                mine.lane.setStored(applied);
                mine.lane.setReached(applied);
                done(mine);
            }

            /** What is stored tells the truth: a lane that is ours goes on from there, another is given up. */
            private void fail(Work mine) {
                endWork();
                if (mine.row.epoch == mine.lane.tenure().epoch()) {
                    mine.lane.setStored(mine.row.position);
                    mine.lane.setReached(mine.row.position);
                } else {
                    mine.lane.leave();
                }
                done(mine);
            }

            private void done(Work mine) {
                work = null;
                mine.lane.setBusy(false);
                dispatch();
                work();
            }

            private void endWork() {
                Work mine = work;
                if (mine != null) {
                    mine.isRolledBack = true;
                    if (mine.row.changedBy == mine) {
                        mine.row.changedBy = null;
                    }
                }
            }
        }

        @Override
        protected boolean atRest() {
            if (members.stream().anyMatch(member -> member.isFrozen && !member.isDead)) {
                members.forEach(member -> member.isFrozen = false);
                return true;
            }
            if (isCalm) {
                require(
                        before.equals(rows.toString()),
                        () -> "They do not come to rest: before it was " + before + '.');
                return false;
            }
            isCalm = true;
            before = rows.toString();
            List<Member> alive =
                    members.stream().filter(member -> !member.isDead).toList();
            List<Integer> numbersAlive =
                    alive.stream().map(member -> member.session.number).toList();
            for (Member member : alive) {
                long owned =
                        rows.stream().filter(row -> row.lock == member.session).count();
                int share = FairShare.of(rows.size(), numbersAlive, member.session.number);
                require(
                        owned == share && member.lanes.size() == share,
                        () -> "Member " + member.number + " owns " + owned + ", and its fair share is " + share + '.');
                member.isStirred = true;
            }
            if (!alive.isEmpty()) {
                rows.forEach(row -> require(row.position == row.end, () -> row + " was applied in part only."));
            }
            return !alive.isEmpty();
        }

        @Override
        public String toString() {
            return Arrays.toString(rows.toArray());
        }
    }
}
