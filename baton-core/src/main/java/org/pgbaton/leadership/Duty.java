package org.pgbaton.leadership;

/**
 * The job that only the leader does. It should ask {@link Term#isLeading} before each unit of work and return when the
 * answer is no; its thread is interrupted when the term is lost. Writes to a database belong under {@link Term#guard}.
 */
@FunctionalInterface
public interface Duty {
    /**
     * Does the job, in this term.
     *
     * @throws Exception if it failed; a candidate steps down then, and {@link Leadership#run} passes it on
     */
    void perform(Term term) throws Exception;
}
