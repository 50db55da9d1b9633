package org.pgbaton.chaos.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A round, as a line of {@code rounds.jsonl} tells it. What an older line does not say is null, empty or 0.
 *
 * @param seconds how long it took
 * @param isVoid whether it came to no verdict
 * @param why it is void
 * @param done how much had been done at its end
 * @param calmMillis from the end of the traffic until nothing was left to do; null if it never was
 * @param takeoverMillis see {@link Takeover}
 * @param violatedAtMillis about when the first violation happened; null if that cannot be told
 * @param options that choose it on the command line; null: its scenario and its fault
 */
public record RoundEntry(
        int postgres,
        String scenario,
        String fault,
        long seed,
        @Nullable Instant begun,
        double seconds,
        List<Broken> violations,
        @JsonProperty("void") boolean isVoid,
        @Nullable String why,
        long done,
        @Nullable Long calmMillis,
        @Nullable Long takeoverMillis,
        @Nullable Long violatedAtMillis,
        List<Event> events,
        TimeLine timeLine,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String options) {

    /** A promise that did not hold. */
    public record Broken(String invariant, String what) {
        public Broken {
            invariant = orNothing(invariant);
            what = orNothing(what);
        }
    }

    /**
     * Something that was done to the round.
     *
     * @param millis since the round began
     */
    public record Event(long millis, String what) {
        public Event {
            what = orNothing(what);
        }
    }

    public RoundEntry {
        scenario = orNothing(scenario);
        fault = orNothing(fault);
        violations = violations == null ? List.of() : List.copyOf(violations);
        events = events == null ? List.of() : List.copyOf(events);
        timeLine = timeLine == null ? TimeLine.empty() : timeLine;
    }

    private static String orNothing(@Nullable String text) {
        return text == null ? "" : text;
    }

    boolean isViolated() {
        return !violations.isEmpty();
    }

    /** What repeats it. */
    String command() {
        String chosen = options == null ? "--scenarios " + scenario + " --faults " + fault : options;
        return "./baton chaos " + chosen + " --rounds 1 --seed " + seed + " --pg " + postgres;
    }
}
