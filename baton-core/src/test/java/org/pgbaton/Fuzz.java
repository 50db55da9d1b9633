package org.pgbaton;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Gives a parser inputs made from a seed: valid ones with bits turned, cut off, joined, repeated, nested, with strange parts in them; and some
 * that are random altogether. The same seed makes the same inputs.
 *
 * <p>Each must be dealt with in seconds, and without taking much more memory than it is long. What else must hold, the test says by what it does
 * with an input. A failure tells the seed, the number of the input, and the input. {@code -Dbaton.seed} chooses the seed that is fresh otherwise.
 */
public final class Fuzz {
    /** Deals with an input; what it throws is a failure. */
    public interface Use {
        /** @return whether the input was understood, and not refused */
        boolean of(String input) throws Exception;
    }

    private static final int SECONDS = 10;
    private static final int LONGEST = 20_000;
    private static final long MEMORY = 4_000_000;
    private static final long MEMORY_PER_CHARACTER = 5_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final long seed;
    private final Random random;
    private final List<String> valid;
    private final List<String> parts;
    private volatile int number;
    private volatile String input = "";

    private Fuzz(long seed, List<String> valid, List<String> parts) {
        this.seed = seed;
        this.random = new Random(seed);
        this.valid = valid;
        this.parts = parts;
    }

    public static long freshSeed() {
        return Long.getLong("baton.seed", System.nanoTime());
    }

    /**
     * @param parts what the parser may trip over; an opening one before its closing one
     * @return how many were understood
     */
    public static int run(long seed, int inputs, List<String> valid, List<String> parts, Use use) throws Exception {
        Fuzz fuzz = new Fuzz(seed, valid, parts);
        FutureTask<Integer> understood = new FutureTask<>(() -> fuzz.all(inputs, use));
        Thread thread = new Thread(understood, "fuzz");
        thread.setDaemon(true);
        thread.start();
        int before = 0;
        while (true) {
            try {
                return understood.get(SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException stillBusy) {
                if (fuzz.number == before) {
                    AssertionError hang = fuzz.failure("takes more than " + SECONDS + " s", null);
                    hang.setStackTrace(thread.getStackTrace());
                    throw hang;
                }
                before = fuzz.number;
            } catch (ExecutionException failed) {
                throw fuzz.failure("is neither understood nor refused as it should be", failed.getCause());
            }
        }
    }

    private int all(int inputs, Use use) throws Exception {
        // The first use of a class takes memory, too.
        for (String each : valid) {
            input = each;
            if (!use.of(each)) {
                throw new AssertionError("It is valid, and refused.");
            }
        }
        int understood = 0;
        for (int i = 1; i <= inputs; i++) {
            input = next();
            number = i;
            long before = THREADS.getCurrentThreadAllocatedBytes();
            understood += use.of(input) ? 1 : 0;
            long taken = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (taken > MEMORY + MEMORY_PER_CHARACTER * input.length()) {
                throw new AssertionError("It takes " + taken + " bytes of memory.");
            }
        }
        return understood;
    }

    private AssertionError failure(String what, @Nullable Throwable cause) {
        StringBuilder shown = new StringBuilder();
        input.chars()
                .limit(1_000)
                .forEach(c -> shown.append(
                        c >= ' ' && c < 127 && c != '"' && c != '\\' ? "" + (char) c : String.format("\\u%04x", c)));
        return new AssertionError(
                "Input " + number + " of -Dbaton.seed=" + seed + ", " + input.length() + " characters, " + what
                        + ":\n\"" + shown + "\"",
                cause);
    }

    private String next() {
        if (random.nextInt(20) == 0) {
            return anything();
        }
        String made = any(valid);
        for (int i = random.nextInt(4); i >= 0; i--) {
            made = changed(made);
        }
        String cut = made.length() <= LONGEST ? made : made.substring(0, LONGEST);
        // No half of a character: no text that comes from outside has one.
        return new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private String anything() {
        StringBuilder made = new StringBuilder();
        for (int i = random.nextInt(60); i > 0; i--) {
            made.append(random.nextInt(4) == 0 ? any(parts) : String.valueOf(character()));
        }
        return made.toString();
    }

    private String changed(String text) {
        int from = random.nextInt(text.length() + 1);
        int to = Math.min(text.length(), from + random.nextInt(random.nextInt(4) == 0 ? text.length() + 1 : 12));
        String head = text.substring(0, from);
        String tail = text.substring(to);
        return switch (random.nextInt(from == text.length() ? 4 : 10)) {
            case 0 -> head;
            case 1 -> head + tail;
            case 2 -> head + any(parts) + text.substring(from);
            case 3 -> head + spliced(any(valid));
            case 4 -> head + (char) (text.charAt(from) ^ 1 << random.nextInt(8)) + text.substring(from + 1);
            case 5 -> head + character() + text.substring(from + 1);
            case 6 -> head + any(parts) + tail;
            case 7 -> head + text.substring(from, to).repeat(times()) + tail;
            case 8 -> head + any(parts).repeat(times()) + tail;
            default -> head + nested(text.substring(from, to)) + tail;
        };
    }

    /** Between a part and its neighbour, which may be an opening and a closing one. */
    private String nested(String text) {
        int open = random.nextInt(parts.size());
        int times = times();
        return parts.get(open).repeat(times)
                + text
                + parts.get((open + 1) % parts.size()).repeat(times);
    }

    private String spliced(String other) {
        return other.substring(random.nextInt(other.length() + 1));
    }

    /** Mostly a few, now and then enough to nest deeper than any stack. */
    private int times() {
        return random.nextInt(300) == 0 ? 2_000 + random.nextInt(10_000) : 2 + random.nextInt(8);
    }

    private char character() {
        return (char)
                (switch (random.nextInt(4)) {
                    case 0 -> random.nextInt(256);
                    case 1 -> random.nextInt(Character.MIN_SURROGATE);
                    default -> ' ' + random.nextInt(95);
                });
    }

    private String any(List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }
}
