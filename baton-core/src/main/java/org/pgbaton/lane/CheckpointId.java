package org.pgbaton.lane;

import java.util.Collection;
import java.util.stream.Collectors;

/** The number of a checkpoint's row; also the second half of the key of its advisory lock. */
public record CheckpointId(int number) implements Comparable<CheckpointId> {
    /** The literal of an array of PostgreSQL. */
    static String array(Collection<CheckpointId> all) {
        return all.stream().map(CheckpointId::toString).collect(Collectors.joining(",", "{", "}"));
    }

    @Override
    public int compareTo(CheckpointId other) {
        return Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        return Integer.toString(number);
    }
}
