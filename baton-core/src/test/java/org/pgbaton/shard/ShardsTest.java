package org.pgbaton.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key belongs to the same shard everywhere and for ever, and each shard lies in one database. */
class ShardsTest {
    /** Computed by other programs. They must never change: keys would be looked for in the wrong database. */
    @ParameterizedTest
    @CsvSource({
        "'', 20, 92, 7188",
        "a, 10, 690, 48586",
        "P7, 49, 913, 20657",
        "order-4711, 19, 475, 16787",
        "Grüße 🎼, 19, 427, 41747",
    })
    void theShardOfAKeyIsTheSameEverywhere(String key, int of64, int of1000, int of65536) {
        assertThat(Shards.shardOf(key, 1)).isZero();
        assertThat(Shards.shardOf(key, 64)).isEqualTo(of64);
        assertThat(Shards.shardOf(key, 1000)).isEqualTo(of1000);
        assertThat(Shards.shardOf(key, 65_536)).isEqualTo(of65536);
    }

    @Test
    void theKeysOfAShardUseEveryLaneOfALog() throws Exception {
        Map<Integer, Set<Integer>> lanes = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String key = "key-" + i;
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            int lane = Integer.remainderUnsigned(ByteBuffer.wrap(hash).getInt(), 16);
            lanes.computeIfAbsent(Shards.shardOf(key, 64), shard -> new HashSet<>())
                    .add(lane);
        }

        assertThat(lanes).hasSize(64);
        assertThat(lanes.values()).allSatisfy(used -> assertThat(used).hasSize(16));
    }

    @Test
    void keysSpreadEvenly() {
        Shards<String> shards = Shards.evenly(64, List.of("a", "b", "c", "d"));
        Map<String, Integer> keys = new HashMap<>();
        for (int i = 0; i < 40_000; i++) {
            keys.merge(shards.get("key-" + i), 1, Integer::sum);
        }

        assertThat(keys.values()).allSatisfy(count -> assertThat(count).isBetween(9_500, 10_500));
        assertThat(shards.databases()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void anUnevenNumberOfShardsDiffersByOne() {
        Shards<String> shards = Shards.evenly(10, List.of("a", "b", "c"));

        assertThat(IntStream.range(0, 10).mapToObj(shards::ofShard))
                .containsExactly("a", "a", "a", "a", "b", "b", "b", "c", "c", "c");
        assertThat(shards.count()).isEqualTo(10);
        assertThat(shards).hasToString("10 shards on [a, b, c]");
    }

    @Test
    void aNewDatabaseTakesOverTheKeysOfItsShardsAndNoOthers() {
        Shards<String> before = Shards.evenly(8, List.of("a", "b"));
        Shards<String> after = Shards.of(8, Map.of("0-2", "a", "4-7", "b", "3", "c"));

        for (int i = 0; i < 1000; i++) {
            String key = "key-" + i;
            assertThat(after.get(key)).isEqualTo(after.shardOf(key) == 3 ? "c" : before.get(key));
        }
        assertThat(after.databases()).containsExactly("a", "c", "b");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        refused("0 shards make no sense: give 1 to 65536.", () -> Shards.shardOf("a", 0));
        refused("65537 shards make no sense: give 1 to 65536.", () -> Shards.of(65_537, Map.of()));
        refused("2 databases make no sense for 1 shards", () -> Shards.evenly(1, List.of("a", "b")));
        refused("0 databases make no sense for 4 shards", () -> Shards.evenly(4, List.of()));
        refused(
                "Shard 2 has no database: give each of the shards 0 to 3 one.",
                () -> Shards.of(4, Map.of("0-1", "a", "3", "b")));
        refused("Shard 1 is in two ranges", () -> Shards.of(4, Map.of("0-1", "a", "1-3", "b")));
        refused("There is no shard 4: they go from 0 to 3.", () -> Shards.of(4, Map.of("0-4", "a")));
        refused("'3-1' makes no sense: the lower one comes first.", () -> Shards.of(4, Map.of("3-1", "a")));
        refused("'-1' is no range of shards: write it like 0-31", () -> Shards.of(4, Map.of("-1", "a")));
        refused("There is no shard -1", () -> Shards.evenly(4, List.of("a")).ofShard(-1));
    }

    private static void refused(String sentence, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(sentence);
    }
}
