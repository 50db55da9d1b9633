package org.pgbaton.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.replication.LogSequenceNumber;

/** Each type of message, as real servers sent it. */
@ParameterizedClass
@ValueSource(ints = {14, 18})
class RecordedMessagesTest {
    private static final String DOC = "0123456789".repeat(210);

    private static final WalMessage.Begin NONE = new WalMessage.Begin(LogSequenceNumber.INVALID_LSN, Instant.EPOCH, 0);

    private final List<Recorded> recorded;
    private final List<WalMessage> messages = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();

    RecordedMessagesTest(int version) {
        recorded = Recorded.on(version);
        Decoder decoder = new Decoder();
        Transaction transaction = new Transaction(NONE);
        for (Recorded each : recorded) {
            WalMessage message = decoder.decode(each.buffer());
            messages.add(message);
            if (message instanceof WalMessage.Begin begin) {
                transaction = new Transaction(begin);
            } else if (message instanceof WalMessage.RowChange change) {
                changes.add(transaction.change(change));
            } else if (message instanceof WalMessage.Truncate truncate) {
                changes.addAll(transaction.changes(truncate));
            }
        }
    }

    private <M> List<M> all(Class<M> type) {
        return messages.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Without what is different each time. */
    private List<String> shortJson() {
        return changes.stream()
                .map(change -> change.toJson().replace(DOC, "DOC").replaceFirst(",\"lsn\":.*", ""))
                .toList();
    }

    @Test
    void everyTypeIsThere() {
        assertThat(recorded).extracting(Recorded::type).contains('B', 'C', 'O', 'R', 'Y', 'I', 'U', 'D', 'T', 'M');
    }

    @Test
    void transactionsBeginAndCommit() {
        WalMessage.Begin begin = NONE;
        for (int i = 0; i < messages.size(); i++) {
            Recorded from = recorded.get(i);
            if (messages.get(i) instanceof WalMessage.Begin next) {
                begin = next;
                assertThat(begin.xid()).isEqualTo(from.xid());
            } else if (messages.get(i) instanceof WalMessage.Commit commit) {
                assertThat(commit.endLsn().asString()).isEqualTo(from.lsn());
                assertThat(commit.lsn()).isEqualTo(begin.finalLsn()).isLessThan(commit.endLsn());
                assertThat(commit.committedAt()).isEqualTo(begin.committedAt());
            }
        }
        assertThat(all(WalMessage.Commit.class))
                .hasSameSizeAs(all(WalMessage.Begin.class))
                .hasSizeGreaterThan(7);
        // The one from elsewhere brings its own time.
        assertThat(all(WalMessage.Commit.class))
                .extracting(WalMessage.Commit::committedAt)
                .containsOnlyOnce(Instant.parse("2020-01-01T00:00:00Z"))
                .filteredOn(time -> time.isAfter(Instant.parse("2026-11-15T00:00:00Z"))
                        && time.isBefore(Instant.parse("2026-11-16T00:00:00Z")))
                .hasSize(all(WalMessage.Commit.class).size() - 1);
        assertThat(all(WalMessage.Begin.class))
                .isSortedAccordingTo((a, b) -> a.finalLsn().compareTo(b.finalLsn()));
    }

    @Test
    void aTransactionFromElsewhereSaysSo() {
        assertThat(all(WalMessage.Origin.class)).singleElement().satisfies(origin -> {
            assertThat(origin.name()).isEqualTo("elsewhere");
            assertThat(origin.commitLsn().asString()).isEqualTo("0/ABCDEF");
        });
    }

    private List<Relation> relations() {
        return all(WalMessage.Description.class).stream()
                .map(WalMessage.Description::relation)
                .toList();
    }

    @Test
    void aTableIsDescribed() {
        Relation item = relations().get(0);
        assertThat(item.table()).isEqualTo("public.item");
        assertThat(item.replicaIdentity()).isEqualTo(ReplicaIdentity.DEFAULT);
        assertThat(item.columns())
                .extracting(Column::name)
                .containsExactly("id", "name", "price", "mood", "moods", "tags", "doc");
        assertThat(item.columns())
                .extracting(Column::key)
                .containsExactly(true, false, false, false, false, false, false);
        assertThat(item.columns())
                .extracting(column -> column.type().name())
                .containsExactly("int4", "varchar", "numeric", "mood", "_mood", "_text", "text");
        assertThat(Objects.requireNonNull(item.column("name")).typmod()).isEqualTo(84);
        assertThat(Objects.requireNonNull(item.column("id")).typmod()).isEqualTo(-1);
        assertThat(Objects.requireNonNull(item.column("price")).typeOid()).isGreaterThan(16_000);
        assertThat(item.identity()).containsExactly("id");

        Relation whole = relations().stream()
                .filter(each -> each.name().equals("whole"))
                .findFirst()
                .orElseThrow();
        assertThat(whole.replicaIdentity()).isEqualTo(ReplicaIdentity.FULL);
        assertThat(whole.identity()).hasSize(7);
        Relation odd = relations().stream()
                .filter(each -> each.name().equals("o.d\"d"))
                .findFirst()
                .orElseThrow();
        assertThat(odd.replicaIdentity()).isEqualTo(ReplicaIdentity.INDEX);
        assertThat(odd.schema()).isEqualTo("Odd");
        assertThat(odd.identity()).containsExactly("b");
    }

    @Test
    void typesAreNamedAndADomainByItsBaseType() {
        assertThat(all(WalMessage.Type.class))
                .extracting(type -> type.type().schema() + "." + type.type().name())
                .contains("pg_catalog.numeric", "public.mood", "public._mood");
    }

    @Test
    void rowsAreReadAsTheyWere() {
        String full =
                "{\"id\":1,\"name\":\"a \\\"b\\\" \\\\ ü😀\",\"price\":12.50,\"mood\":\"happy\",\"moods\":[\"sad\",null],"
                        + "\"tags\":[\"x\",\"y,z\"],\"doc\":\"DOC\"}";
        String fullRenamed = full.replaceFirst("\"name\":\".*\",\"price", "\"name\":\"new\",\"price");
        String renamed = fullRenamed.replace(",\"doc\":\"DOC\"", "");
        assertThat(shortJson())
                .containsExactly(
                        "{\"table\":\"public.item\",\"operation\":\"insert\",\"before\":null,\"after\":" + full,
                        "{\"table\":\"public.item\",\"operation\":\"insert\",\"before\":null,\"after\":{\"id\":2,\"name\":null,\"price\":null,"
                                + "\"mood\":null,\"moods\":null,\"tags\":null,\"doc\":null}",
                        "{\"table\":\"public.item\",\"operation\":\"update\",\"before\":null,\"after\":" + renamed
                                + ",\"unchanged\":[\"doc\"]",
                        "{\"table\":\"public.item\",\"operation\":\"update\",\"before\":{\"id\":1},\"after\":"
                                + renamed.replace("\"id\":1", "\"id\":3") + ",\"unchanged\":[\"doc\"]",
                        "{\"table\":\"public.item\",\"operation\":\"delete\",\"before\":{\"id\":3},\"after\":null",
                        "{\"table\":\"public.whole\",\"operation\":\"insert\",\"before\":null,\"after\":" + full,
                        "{\"table\":\"public.whole\",\"operation\":\"update\",\"before\":" + full + ",\"after\":"
                                + fullRenamed,
                        "{\"table\":\"public.whole\",\"operation\":\"delete\",\"before\":" + fullRenamed
                                + ",\"after\":null",
                        "{\"table\":\"Odd.o.d\\\"d\",\"operation\":\"insert\",\"before\":null,\"after\":{\"a\\\"b\":\"1\",\"b\":\"2\"}",
                        "{\"table\":\"Odd.o.d\\\"d\",\"operation\":\"delete\",\"before\":{\"b\":\"2\"},\"after\":null",
                        "{\"table\":\"public.item\",\"operation\":\"truncate\",\"before\":null,\"after\":null",
                        "{\"table\":\"public.whole\",\"operation\":\"truncate\",\"before\":null,\"after\":null");
    }

    @Test
    void aTruncateNamesItsTablesAndOptions() {
        assertThat(all(WalMessage.Truncate.class)).singleElement().satisfies(truncate -> {
            assertThat(truncate.relations()).extracting(Relation::name).containsExactly("item", "whole");
            assertThat(truncate.restartIdentity()).isTrue();
            assertThat(truncate.cascade()).isFalse();
        });
    }

    @Test
    void messagesWithoutATable() {
        List<WalMessage.Emitted> emitted = all(WalMessage.Emitted.class);
        assertThat(emitted).extracting(WalMessage.Emitted::prefix).containsExactly("outside", "inside");
        assertThat(emitted).extracting(WalMessage.Emitted::transactional).containsExactly(false, true);
        assertThat(emitted.get(1).text()).isEqualTo("{\"a\": \"ü\"}");
        assertThat(emitted.get(0).bytes()).containsExactly(0, 255, 16);
        assertThat(emitted.get(0).content().isReadOnly()).isTrue();
    }

    @Test
    void aBufferMayBeASliceOrOutsideTheHeap() {
        Decoder fromSlices = new Decoder();
        Decoder fromOutside = new Decoder();
        for (int i = 0; i < messages.size(); i++) {
            byte[] bytes = recorded.get(i).bytes();
            ByteBuffer outside =
                    ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            byte[] more = new byte[bytes.length + 9];
            System.arraycopy(bytes, 0, more, 5, bytes.length);
            ByteBuffer slice = ByteBuffer.wrap(more, 3, bytes.length + 4)
                    .slice()
                    .position(2)
                    .limit(bytes.length + 2);

            assertThat(fromSlices.decode(slice)).hasToString(messages.get(i).toString());
            assertThat(fromOutside.decode(outside)).hasToString(messages.get(i).toString());
            assertThat(slice.remaining()).isEqualTo(outside.remaining()).isEqualTo(bytes.length);
        }
    }
}
