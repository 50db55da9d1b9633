package org.pgbaton.bench.arena;

/** One thing that is measured. */
public interface Part {
    /** As it is chosen on the command line. */
    String name();

    /**
     * Measures. A contestant that fails is noted in the finding, and the others go on.
     *
     * @throws Exception if nothing at all could be measured
     */
    void measure(Arena arena, Finding into) throws Exception;

    /** Its heading in the report. */
    String title();
}
