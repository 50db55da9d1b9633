package org.pgbaton.explore;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Who is next, and what it does: everything that a schedule decides. */
public abstract class Choices {
    /** One of 0 to n - 1. */
    public abstract int of(int n);

    public final boolean oneIn(int n) {
        return of(n) == 0;
    }

    /** @param last the place of whoever was last among those who can go on, or -1 */
    abstract int next(int ready, int last);

    /** The same for the same seed. Some seeds let one actor go on for long, so that the others stand still meanwhile. */
    static final class Seeded extends Choices {
        private final SplittableRandom random;
        private final int steadiness;

        Seeded(long seed) {
            this.random = new SplittableRandom(seed);
            this.steadiness = random.nextInt(8);
        }

        @Override
        public int of(int n) {
            return random.nextInt(n);
        }

        @Override
        int next(int ready, int last) {
            return last >= 0 && random.nextInt(8) < steadiness ? last : random.nextInt(ready);
        }
    }

    /** All of them, one schedule after the other: the last choice that has another value takes it. */
    static final class Every extends Choices {
        private int[] taken = new int[64];
        private int[] widths = new int[64];
        private int known;
        private int at;

        @Override
        public int of(int n) {
            if (at == known) {
                if (known == taken.length) {
                    taken = Arrays.copyOf(taken, known * 2);
                    widths = Arrays.copyOf(widths, known * 2);
                }
                taken[known] = 0;
                widths[known] = n;
                known++;
            }
            return taken[at++];
        }

        @Override
        int next(int ready, int last) {
            return of(ready);
        }

        /** @return false if there is no other schedule */
        boolean advance() {
            at = 0;
            while (known > 0 && taken[known - 1] + 1 == widths[known - 1]) {
                known--;
            }
            if (known == 0) {
                return false;
            }
            taken[known - 1]++;
            return true;
        }
    }
}
