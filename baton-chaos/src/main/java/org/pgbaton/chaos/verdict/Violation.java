package org.pgbaton.chaos.verdict;

/** A promise that did not hold in a round. */
public record Violation(Invariant invariant, String what) {
    /** As in docs/reliability.md. */
    public enum Invariant {
        I1("nothing committed is lost"),
        I2("a projection is applied exactly once"),
        I3("messages of a key come in order, without a hole"),
        I4("one epoch at a time takes effect"),
        I5("a checkpoint never goes back"),
        I6("what a killed or frozen process owned is taken over in time"),
        I7("first deliveries are in order; what comes again was in flight"),
        I8("what is not struck goes on"),
        I9("processes live on; threads, memory, connections and locks return to where they were"),
        I10("the backlog returns to zero"),
        I11("a process says honestly whether it is well"),
        I13("what a stranger made does not run with the rights of others");

        final String promise;

        Invariant(String promise) {
            this.promise = promise;
        }
    }

    /** @param calm whether everything that was left to do was done in time; otherwise what is missing may still come */
    public boolean isOfTime(boolean calm) {
        return switch (invariant) {
            case I6, I8, I9, I10, I11 -> true;
            case I1 -> !calm;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return invariant + " (" + invariant.promise + "): " + what;
    }
}
