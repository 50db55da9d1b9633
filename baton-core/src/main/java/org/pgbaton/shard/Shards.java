package org.pgbaton.shard;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says which of several databases a key belongs to. A key belongs to a shard for ever, and each shard lies in one database.
 *
 * <pre>{@code
 * Shards<String> orders = Shards.of(64, Map.of("0-31", "orders-1", "32-63", "orders-2"));
 * String database = orders.get("order-4711");     // everything about this order is there
 * }</pre>
 *
 * <p>Guarantee: the shard of a key depends on the key and on the number of shards alone. It is the same in every process, on every machine, in
 * every version. The number of a shard is made from bytes 5 to 8 of the SHA-256 of the key in UTF-8, read as an unsigned number, modulo the
 * number of shards. A lane is made from bytes 1 to 4, so the keys of a shard still spread over all lanes of a log. In SQL:
 *
 * <pre>
 * SELECT ('x' || encode(substr(sha256(convert_to(key, 'UTF8')), 5, 4), 'hex'))::bit(32)::bigint % 64
 * </pre>
 *
 * <p>The number of shards can never change, because that would move most keys. Choose far more shards than databases. A new database takes over
 * whole shards, and only their keys move; Baton does not move them.
 *
 * <p>Immutable and thread-safe, if the databases are.
 *
 * @param <T> what stands for a database: a data source, a {@code Baton}, a name
 */
public final class Shards<T> {
    private static final int MOST = 65_536;
    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

    private final List<T> byShard;
    private final List<T> databases;

    private Shards(List<T> byShard) {
        this.byShard = List.copyOf(byShard);
        this.databases = List.copyOf(new LinkedHashSet<>(byShard));
    }

    /**
     * Spreads shards over databases by hand; each shard must get exactly one.
     *
     * @param count 1 to 65,536; can never change
     * @param ranges the databases by their shards, written as {@code "0-31"} or {@code "7"}; a database may have several ranges
     * @throws IllegalArgumentException if a shard has no database or two, or a range is not written so
     */
    public static <T> Shards<T> of(int count, Map<String, T> ranges) {
        checkCount(count);
        TreeMap<Integer, T> byShard = new TreeMap<>();
        ranges.forEach((range, database) -> {
            Matcher written = RANGE.matcher(range);
            if (!written.matches()) {
                throw new IllegalArgumentException(
                        "'" + range + "' is no range of shards: write it like 0-31, or 7 for a single one.");
            }
            int first = checked(Integer.parseInt(written.group(1)), count);
            int last = written.group(2) == null ? first : checked(Integer.parseInt(written.group(2)), count);
            if (first > last) {
                throw new IllegalArgumentException(
                        "The range of shards '" + range + "' makes no sense: the lower one comes first.");
            }
            for (int shard = first; shard <= last; shard++) {
                if (byShard.put(shard, database) != null) {
                    throw new IllegalArgumentException(
                            "Shard " + shard + " is in two ranges: give each shard one database.");
                }
            }
        });
        for (int shard = 0; shard < count; shard++) {
            if (!byShard.containsKey(shard)) {
                throw new IllegalArgumentException(
                        "Shard " + shard + " has no database: give each of the shards 0 to " + (count - 1) + " one.");
            }
        }
        return new Shards<>(List.copyOf(byShard.values()));
    }

    /**
     * Gives each database the same number of neighbouring shards, or one more; the first shards go to the first database. With another list of
     * databases many shards move. So use this to begin with, and {@link #of} when a database is added.
     *
     * @param count 1 to 65,536, at least as many as databases; can never change
     */
    public static <T> Shards<T> evenly(int count, List<T> databases) {
        checkCount(count);
        if (databases.isEmpty() || databases.size() > count) {
            throw new IllegalArgumentException(
                    databases.size() + " databases make no sense for " + count + " shards: give 1 to " + count + ".");
        }
        List<T> all = new ArrayList<>(count);
        for (int shard = 0; shard < count; shard++) {
            all.add(databases.get((int) ((long) shard * databases.size() / count)));
        }
        return new Shards<>(all);
    }

    /** The shard of a key, from 0. */
    public static int shardOf(String key, int count) {
        checkCount(count);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return Integer.remainderUnsigned(ByteBuffer.wrap(hash).getInt(4), count);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every JVM has SHA-256.", impossible);
        }
    }

    private static void checkCount(int count) {
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException(count + " shards make no sense: give 1 to " + MOST + ".");
        }
    }

    /** The database of a key. */
    public T get(String key) {
        return byShard.get(shardOf(key));
    }

    /** The shard of a key, from 0. */
    public int shardOf(String key) {
        return shardOf(key, byShard.size());
    }

    /** The database of a shard. */
    public T ofShard(int shard) {
        return byShard.get(checked(shard, byShard.size()));
    }

    /** How many shards there are. */
    public int count() {
        return byShard.size();
    }

    /** Each database once, in the order of their first shards. */
    public List<T> databases() {
        return databases;
    }

    private static int checked(int shard, int count) {
        if (shard < 0 || shard >= count) {
            throw new IllegalArgumentException(
                    "There is no shard " + shard + ": they go from 0 to " + (count - 1) + ".");
        }
        return shard;
    }

    @Override
    public String toString() {
        return count() + " shards on " + databases;
    }
}
