package org.pgbaton.lane;

/** A member, for which a {@link LaneSession} holds locks. Called by the session's thread: must return quickly, never throw. */
public interface LaneOwner {
    /** The subscription's row. */
    int subscription();

    /** From now on others see us, under this number. */
    void joined(int number);

    /** The lane is ours under that epoch. Its former owner cannot commit anything for it any more. */
    void took(Tenure tenure);

    /** The request for lanes is complete. Some of them may not be ours: others were faster, or the lane's row was locked. */
    void takeFinished();

    /** A lane of ours waits for a transaction of a former owner, which this role may not end; a sentence. */
    void waits(String forWhom);

    /** Whether it wants no other member beside it, also when it joins again. */
    boolean wantsToBeAlone();

    /** It could not join again, and never will. */
    void ended(String why);

    /** The session is gone, and all its locks with it. It will {@linkplain #joined join} again by itself. */
    void lost(String why);
}
