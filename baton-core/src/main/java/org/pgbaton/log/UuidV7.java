package org.pgbaton.log;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ids that grow: a UUID of version 7 costs the unique index a fraction of what a random one costs. Those of one JVM are
 * strictly increasing, also when the clock goes back; those of several are told apart by 62 random bits. Nothing is
 * decided by the time in them. Thread-safe.
 */
final class UuidV7 {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** 48 bits of milliseconds, 12 bits of counter. */
    private static final AtomicLong LAST = new AtomicLong();

    private UuidV7() {}

    static UUID next() {
        long now = System.currentTimeMillis() << 12;
        long tick = LAST.updateAndGet(last -> Math.max(last + 1, now));
        long high = (tick >>> 12) << 16 | 0x7000 | (tick & 0xfff);
        long low = RANDOM.nextLong() >>> 2 | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
