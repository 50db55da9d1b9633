package org.pgbaton.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A change tells what it knows, and nothing that it does not know. */
class ChangeTest {
    private static final String END = ",\"lsn\":\"16/B374D848\",\"committedAt\":\"2000-01-01T00:00:00Z\"}";

    private final Decoder decoder = new Decoder();
    private final Transaction transaction =
            new Transaction((WalMessage.Begin) decoder.decode(Wire.begin().buffer()));

    @BeforeEach
    void tables() {
        decoder.decode(Wire.message('R')
                .int32(1)
                .string("public")
                .string("item")
                .int8('d')
                .int16(4)
                .column(true, "id", 23)
                .column(true, "part", 25)
                .column(false, "name", 25)
                .column(false, "doc", 25)
                .buffer());
        decoder.decode(Wire.message('R')
                .int32(2)
                .string("public")
                .string("whole")
                .int8('f')
                .int16(3)
                .column(true, "id", 23)
                .column(true, "name", 25)
                .column(true, "doc", 25)
                .buffer());
    }

    private Change change(Wire message) {
        return transaction.change((WalMessage.RowChange) decoder.decode(message.buffer()));
    }

    private static Row before(Change change) {
        return Objects.requireNonNull(change.before());
    }

    private static Row after(Change change) {
        return Objects.requireNonNull(change.after());
    }

    private Change insert(String... values) {
        return change(Wire.message('I').int32(1).int8('N').row(values));
    }

    private Change update(String... values) {
        return change(Wire.message('U').int32(1).int8('N').row(values));
    }

    private Change move(List<String> key, String... values) {
        return change(Wire.message('U')
                .int32(1)
                .int8('K')
                .row(key.toArray(String[]::new))
                .int8('N')
                .row(values));
    }

    private Change updateWhole(List<String> old, String... values) {
        return change(Wire.message('U')
                .int32(2)
                .int8('O')
                .row(old.toArray(String[]::new))
                .int8('N')
                .row(values));
    }

    @Test
    void anInsertHasNoBefore() {
        Change change = insert("1", "a", "null", "long");
        assertThat(change.toJson())
                .isEqualTo("{\"table\":\"public.item\",\"operation\":\"insert\",\"before\":null,"
                        + "\"after\":{\"id\":1,\"part\":\"a\",\"name\":null,\"doc\":\"long\"}" + END);
        assertThat(change.operation()).isEqualTo(Operation.INSERT);
        assertThat(change.changed("name")).isTrue();

        assertThat(after(change).isNull("name")).isTrue();
        assertThat(after(change).text("name")).isNull();
        assertThat(after(change).has("name")).isTrue();
        assertThat(after(change).text("id")).isEqualTo("1");
        assertThat(after(change).json("id")).isEqualTo("1");
        assertThat(after(change).json("part")).isEqualTo("\"a\"");
        assertThat(after(change).relation().columns().get(0).type().form()).isEqualTo(JsonForm.NUMBER);
        assertThat(after(change).has("nobody")).isFalse();
        assertThat(after(change).type("nobody")).isNull();
    }

    @Test
    void anUpdateOfOtherColumnsHasNoBeforeAndTheKeyIsTheSame() {
        Change change = update("1", "a", "new", "null");
        assertThat(change.toJson()).contains("\"operation\":\"update\",\"before\":null,\"after\":{");
        assertThat(change.changed("id")).isFalse();
        assertThat(change.changed("name")).isNull();
        assertThat(change.changed("nobody")).isNull();
        assertThat(change.changesKey(List.of("id", "part"))).isFalse();
    }

    @Test
    void aLargeValueThatWasNotTouchedIsNamedAndNotShown() {
        Change change = update("1", "a", "new", "unchanged");
        assertThat(change.toJson())
                .contains("\"after\":{\"id\":1,\"part\":\"a\",\"name\":\"new\"},\"unchanged\":[\"doc\"],\"lsn\"");
        assertThat(after(change).isUnchanged("doc")).isTrue();
        assertThat(after(change).isNull("doc")).isFalse();
        assertThat(after(change).has("doc")).isFalse();
        assertThat(after(change).json("doc")).isNull();
        assertThat(change.changed("doc")).isFalse();
        assertThat(change.toJson(Set.of("id"))).doesNotContain("unchanged");
    }

    @Test
    void aLargeValueThatWasNotTouchedIsTakenFromTheOldRow() {
        Change change = updateWhole(List.of("1", "old", "long"), "1", "new", "unchanged");
        assertThat(change.toJson())
                .contains(
                        "\"before\":{\"id\":1,\"name\":\"old\",\"doc\":\"long\"},\"after\":{\"id\":1,\"name\":\"new\",\"doc\":\"long\"}"
                                + END);
        assertThat(change.changed("doc")).isFalse();
        assertThat(change.changed("name")).isTrue();
        assertThat(after(change).isUnchanged("doc")).isFalse();

        Change gone = updateWhole(List.of("1", "old", "null"), "1", "null", "unchanged");
        assertThat(after(gone).isNull("doc")).isTrue();
        assertThat(gone.changed("name")).isTrue();
        assertThat(gone.changed("doc")).isFalse();
    }

    @Test
    void aChangedKeyHasTheOldKeyAsBeforeAndCanBeTwoChanges() {
        Change change = move(List.of("1", "a", "null", "null"), "2", "a", "new", "unchanged");
        assertThat(change.toJson())
                .contains(
                        "\"before\":{\"id\":1,\"part\":\"a\"},\"after\":{\"id\":2,\"part\":\"a\",\"name\":\"new\"},\"unchanged\":[\"doc\"]");
        assertThat(before(change).isKeyOnly()).isTrue();
        assertThat(before(change).has("name")).isFalse();
        assertThat(before(change).isNull("name")).isFalse();
        assertThat(change.changed("id")).isTrue();
        assertThat(change.changed("part")).isFalse();
        assertThat(change.changed("name")).isNull();
        assertThat(change.changesKey(List.of("id"))).isTrue();
        assertThat(change.changesKey(List.of("part"))).isFalse();
        assertThat(change.changesKey(List.of("part", "id"))).isTrue();

        List<Change> two = change.asDeleteAndInsert();
        assertThat(two).extracting(Change::operation).containsExactly(Operation.DELETE, Operation.INSERT);
        assertThat(two).extracting(each -> each.key(List.of("id"))).containsExactly("1", "2");
        assertThat(two).extracting(Change::ordinal).containsOnly(change.ordinal());
        assertThat(two.get(0).toJson())
                .contains("\"operation\":\"delete\",\"before\":{\"id\":1,\"part\":\"a\"},\"after\":null,\"lsn\"");
        assertThat(two.get(1).toJson()).contains("\"operation\":\"insert\",\"before\":null,\"after\":{\"id\":2");
    }

    @Test
    void aDeleteHasTheKeyOnly() {
        Change change = change(Wire.message('D').int32(1).int8('K').row("1", "a", "null", "null"));
        assertThat(change.toJson())
                .isEqualTo(
                        "{\"table\":\"public.item\",\"operation\":\"delete\",\"before\":{\"id\":1,\"part\":\"a\"},\"after\":null"
                                + END);
        assertThat(change.key(List.of("id"))).isEqualTo("1");
        assertThatExceptionOfType(DecodeException.class)
                .isThrownBy(() -> change.key(List.of("name")))
                .withMessageContaining("column name of the key of public.item")
                .withMessageContaining("REPLICA IDENTITY FULL");
    }

    @Test
    void aTruncateIsAChangeOfEachTable() {
        insert("1", "a", "b", "c");
        WalMessage.Truncate truncate = (WalMessage.Truncate) decoder.decode(
                Wire.message('T').int32(2).int8(3).int32(2).int32(1).buffer());
        assertThat(truncate.cascade()).isTrue();
        assertThat(truncate.restartIdentity()).isTrue();

        List<Change> changes = transaction.changes(truncate);
        assertThat(changes).extracting(Change::table).containsExactly("public.whole", "public.item");
        assertThat(changes).extracting(Change::ordinal).containsExactly(2L, 3L);
        assertThat(changes.get(1).toJson())
                .isEqualTo(
                        "{\"table\":\"public.item\",\"operation\":\"truncate\",\"before\":null,\"after\":null" + END);
        assertThat(changes.get(1).key(List.of("id"))).isNull();
        assertThat(changes.get(1).changed("id")).isNull();
        assertThat(changes.get(1).changesKey(List.of("id"))).isFalse();
    }

    @Test
    void onlyChosenColumnsAreShown() {
        Change change = updateWhole(List.of("1", "old", "long"), "1", "new", "long");
        assertThat(change.toJson(Set.of("id", "name", "nobody")))
                .contains("\"before\":{\"id\":1,\"name\":\"old\"},\"after\":{\"id\":1,\"name\":\"new\"}" + END);
        assertThat(change.toJson(Set.of())).contains("\"before\":{},\"after\":{}");
    }

    @Test
    void severalColumnsMakeAKeyThatCannotBeMistaken() {
        List<String> both = List.of("part", "name");
        assertThat(insert("1", "a,b", "c", "x").key(both)).isEqualTo("[\"a,b\",\"c\"]");
        assertThat(insert("1", "a", "b,c", "x").key(both)).isEqualTo("[\"a\",\"b,c\"]");
        assertThat(insert("1", "a\"", "null", "x").key(both)).isEqualTo("[\"a\\\"\",null]");
        assertThat(insert("1", "a", "NULL", "x").key(both)).isEqualTo("[\"a\",\"NULL\"]");
        assertThat(insert("1", "a", "b", "x").key(List.of("id", "part"))).isEqualTo("[\"1\",\"a\"]");
        assertThat(insert("1", "a", "b", "x").key(List.of("part"))).isEqualTo("a");
        assertThat(insert("1", "a", "null", "x").key(List.of("name"))).isNull();
    }

    @Test
    void aKeyThatIsTooLongForALogIsHashed() {
        String longest = "ü".repeat(500);
        assertThat(insert("1", longest, "b", "x").key(List.of("part"))).isEqualTo(longest);
        String hashed = insert("1", longest + "a", "b", "x").key(List.of("part"));
        assertThat(hashed).matches("sha256:[0-9a-f]{64}");
        assertThat(insert("2", longest + "b", "b", "x").key(List.of("part"))).isNotEqualTo(hashed);
        assertThat(insert("2", longest + "a", "c", "x").key(List.of("part"))).isEqualTo(hashed);
    }

    @Test
    void aKeyNeedsColumnsThatAreThere() {
        Change change = insert("1", "a", "b", "x");
        assertThatExceptionOfType(DecodeException.class)
                .isThrownBy(() -> change.key(List.of()))
                .withMessageContaining("The key of public.item has no columns");
        assertThatExceptionOfType(DecodeException.class)
                .isThrownBy(() -> change.key(List.of("nobody")))
                .withMessageContaining("Column nobody of the key of public.item is not in the change");
        assertThat(change.relation().identity()).containsExactly("id", "part");
        assertThat(change.relation().identifies(List.of("part"))).isTrue();
        assertThat(change.relation().identifies(List.of("part", "name"))).isFalse();
        assertThat(change.relation().identifies(List.of("nobody"))).isFalse();
    }

    @Test
    void aLaterDescriptionOfATableReplacesTheFirst() {
        Change earlier = insert("1", "a", "b", "x");
        decoder.decode(Wire.message('R')
                .int32(1)
                .string("")
                .string("thing")
                .int8('d')
                .int16(1)
                .column(true, "number", 25)
                .buffer());
        updateWhole(List.of("1", "old", "long"), "1", "new", "long");
        Change later = insert("1");
        assertThat(later.toJson())
                .startsWith("{\"table\":\"pg_catalog.thing\"")
                .contains("\"after\":{\"number\":\"1\"}");
        assertThat(earlier.toJson()).contains("\"after\":{\"id\":1,");
    }

    @Test
    void changesAreNumberedFromOne() {
        assertThat(transaction.ordinal()).isZero();
        assertThat(insert("1", "a", "b", "x").ordinal()).isEqualTo(1);
        assertThat(transaction.next()).isEqualTo(2);
        assertThat(update("1", "a", "b", "x").ordinal()).isEqualTo(3);
        assertThat(transaction.ordinal()).isEqualTo(3);
        assertThat(transaction.begin().xid()).isEqualTo(7);
    }
}
