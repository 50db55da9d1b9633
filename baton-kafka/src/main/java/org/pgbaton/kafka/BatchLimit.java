package org.pgbaton.kafka;

/**
 * How many bytes of records may go to a partition as one batch. Belongs to one {@link PartitionQueue}, and is guarded by it.
 *
 * <p>A topic may allow less than we would send, and says so only by refusing. Kafka's client then takes the batch apart, which costs a
 * request; clients before 4.2 send the same batch again and again until its time is over, which looks like an outage. So batches get
 * smaller when one was taken apart. After one that got no answer in time, they begin small, and double with each one that is confirmed;
 * if one gets no answer while they grow, its size may be the reason, and they stay smaller. In both cases they grow again in the long
 * run: the reason may have been another one.
 */
final class BatchLimit {
    private static final int SMALLEST = 1;
    /** After so many batches that were confirmed, larger ones are tried again. */
    static final int LONG_RUN = 2000;

    private final int largest;
    private int most;
    private int now;
    private int confirmed;

    BatchLimit(int largest) {
        this.largest = largest;
        this.most = largest;
        this.now = largest;
    }

    int bytes() {
        return now;
    }

    void confirmed(int bytes) {
        if (now < most) {
            now = Math.min(most, Math.max(2 * bytes, now));
        } else if (most < largest) {
            confirmed++;
            if (confirmed >= LONG_RUN) {
                confirmed = 0;
                most = Math.min(largest, 2 * most);
                now = most;
            }
        }
    }

    /** A batch of several records got no answer in time. */
    void unanswered(int bytes) {
        if (now < most) {
            shrink(bytes / 2);
        }
        now = SMALLEST;
    }

    /** A batch of so many bytes was taken apart. */
    void takenApart(int bytes) {
        shrink(bytes / 2);
    }

    /** A record of this size is too large for the topic. Batches that are smaller than that are not taken apart. */
    void tooLarge(int bytes) {
        shrink(bytes - 1);
    }

    private void shrink(int bytes) {
        most = Math.max(SMALLEST, Math.min(most, bytes));
        now = Math.min(now, most);
        confirmed = 0;
    }
}
