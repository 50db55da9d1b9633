package org.pgbaton.chaos.verdict;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.report.TimeLine;

/**
 * About when the first violation of a round happened. Effects carry no time; so it is when a checkpoint was first seen at the position that a
 * violation names, or a leadership in its epoch. What names neither has no time.
 */
public final class FirstViolation {
    private static final Pattern POSITION = Pattern.compile("(\\S+): position (\\d+) of key .*", Pattern.DOTALL);
    private static final Pattern MESSAGE = Pattern.compile("(\\S+): message (\\S+) of key (\\S+).*", Pattern.DOTALL);
    private static final Pattern BACK =
            Pattern.compile("(\\S+), lane (-?\\d+): from .* to (\\d+), epoch (\\d+)", Pattern.DOTALL);
    private static final Pattern EPOCH = Pattern.compile(".*epoch (\\d+)(?: belonged to .*)?", Pattern.DOTALL);

    private final History history;
    private final TimeLine timeLine;

    private FirstViolation(History history, TimeLine timeLine) {
        this.history = history;
        this.timeLine = timeLine;
    }

    /** @return since the round began; null if that cannot be told */
    public static @Nullable Long millis(History history, TimeLine timeLine, List<Violation> violations) {
        FirstViolation first = new FirstViolation(history, timeLine);
        return violations.stream().flatMap(first::times).min(Long::compare).orElse(null);
    }

    private Stream<Long> times(Violation violation) {
        if (violation.invariant() == Violation.Invariant.I10) {
            return history.samples().stream()
                    .map(History.Sample::millis)
                    .skip(Math.max(0, history.samples().size() - 1));
        }
        return Stream.of(violation.what().split("; ")).map(this::time).filter(Objects::nonNull);
    }

    private @Nullable Long time(String what) {
        Matcher position = POSITION.matcher(what);
        if (position.matches()) {
            return reached(position.group(1), Long.parseLong(position.group(2)));
        }
        Matcher message = MESSAGE.matcher(what);
        if (message.matches()) {
            return written(message.group(2), message.group(3))
                    .map(row -> reached(message.group(1), row.position()))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
        Matcher back = BACK.matcher(what);
        if (back.matches()) {
            int lane = Integer.parseInt(back.group(2));
            long to = Long.parseLong(back.group(3));
            long epoch = Long.parseLong(back.group(4));
            return seen(sample -> sample.subscription().equals(back.group(1))
                    && sample.lane() == lane
                    && sample.position() == to
                    && sample.epoch() == epoch);
        }
        Matcher epoch = EPOCH.matcher(what);
        return epoch.matches() ? led(Long.parseLong(epoch.group(1))) : null;
    }

    /** By its id, or by its place among those of its key. */
    private Stream<History.Written> written(String message, String key) {
        Stream<History.Written> byId =
                history.written().stream().filter(row -> row.id().equals(message));
        return !message.matches("\\d{1,9}")
                ? byId
                : history.written().stream()
                        .filter(row -> row.key().equals(key))
                        .skip(Math.max(0, Integer.parseInt(message) - 1))
                        .limit(1);
    }

    private @Nullable Long reached(String subscription, long position) {
        return seen(sample -> sample.subscription().equals(subscription) && sample.position() >= position);
    }

    private @Nullable Long seen(Predicate<History.Sample> what) {
        return history.samples().stream()
                .filter(what)
                .map(History.Sample::millis)
                .findFirst()
                .orElse(null);
    }

    private @Nullable Long led(long epoch) {
        return timeLine.tracks().stream()
                .flatMap(track -> track.runs().stream())
                .filter(run -> run.epoch() == epoch)
                .map(TimeLine.Run::from)
                .min(Long::compare)
                .orElse(null);
    }
}
