package org.pgbaton.bench.outbox;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.pgbaton.bench.arena.Options;
import org.pgbaton.bench.arena.PlayerLoop;
import org.pgbaton.bench.arena.Writing;

/**
 * One process of a contestant: {@code CLASS [name=value…]}. The class need not know this program. Its constructor takes
 * the map of options and, if it wants one, the {@link Producer} as a function of key and payload. A relay is a
 * {@link Runnable}, which returns when it has started. A writer to the outbox is a {@link BiConsumer}, which takes a
 * key and a payload, commits, and is called by several threads. This program needs nothing but the JDK and Kafka's
 * client, because it runs with the class path of each peer.
 *
 * <ul>
 *   <li>{@code begin}: relays from now on
 *   <li>{@code count}: how many messages it has handled, if it is a {@link LongSupplier}
 *   <li>{@code fill FROM TO}: writes these messages, as fast as it can
 *   <li>{@code write FROM TO RATE FILE}: writes them at so many a second, and then to the file when each was committed
 * </ul>
 */
final class ContestantProgram {
    /** A divisor of the number of keys, so that each key has one writer and an order. */
    private static final int FILLERS = 8;

    private static final int WRITERS = 5;

    private final Object contestant;

    private ContestantProgram(Object contestant) {
        this.contestant = contestant;
    }

    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Map<String, String> options = Options.parse(arguments, 1);
        Constructor<?> constructor = Class.forName(arguments[0]).getDeclaredConstructors()[0];
        Object contestant = constructor.getParameterCount() == 1
                ? constructor.newInstance(options)
                : constructor.newInstance(options, new Producer(options));
        PlayerLoop.run(new ContestantProgram(contestant)::play);
    }

    private String play(String[] words) throws Exception {
        switch (words[0]) {
            case "begin" -> ((Runnable) contestant).run();
            case "count" -> {
                return Long.toString(((LongSupplier) contestant).getAsLong());
            }
            case "fill" -> write(FILLERS, words[1], words[2], 0);
            case "write" ->
                write(WRITERS, words[1], words[2], Integer.parseInt(words[3])).save(Path.of(words[4]));
            default -> throw new IllegalArgumentException("unknown: " + words[0]);
        }
        return "";
    }

    private Writing write(int writers, String from, String to, int perSecond) throws InterruptedException {
        @SuppressWarnings("unchecked")
        BiConsumer<String, String> outbox = (BiConsumer<String, String>) contestant;
        return Writing.run(
                writers,
                Integer.parseInt(from),
                Integer.parseInt(to),
                perSecond,
                n -> outbox.accept(Messages.key(n), Messages.payload(n)));
    }
}
