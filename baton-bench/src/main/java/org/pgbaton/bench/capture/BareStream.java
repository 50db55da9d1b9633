package org.pgbaton.bench.capture;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.LongSupplier;

/** The limit of the driver that all contestants use: each message is read and forgotten. */
final class BareStream implements Runnable, LongSupplier {
    private final SlotReader reader;

    BareStream(Map<String, String> options) {
        this.reader = new SlotReader(options, BareStream::isChange);
    }

    private static boolean isChange(ByteBuffer message) {
        byte type = message.get(message.position());
        return type == 'I' || type == 'U' || type == 'D';
    }

    @Override
    public void run() {
        reader.run();
    }

    @Override
    public long getAsLong() {
        return reader.getAsLong();
    }
}
