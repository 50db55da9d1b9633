package org.pgbaton.server.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

class RulesTest {
    private static boolean isAbout(String when, RowChange change) {
        try (Channel channel =
                RowChanges.channel("stdout:\nwhen:\n" + when.indent(2)).open()) {
            return channel.isAbout(change);
        }
    }

    private static HandlerException cannotTell(String when, RowChange change) {
        try {
            boolean about = isAbout(when, change);
            throw new AssertionError("It could: " + about);
        } catch (HandlerException reason) {
            assertThat(reason.verdict()).isEqualTo(Verdict.PARK);
            return reason;
        }
    }

    @Test
    void withoutARuleAChannelIsAboutEverything() {
        try (Channel channel = RowChanges.channel("stdout:").open()) {
            assertThat(channel.isAbout(RowChanges.insert("{}"))).isTrue();
            assertThat(channel.isAbout(RowChanges.truncate())).isTrue();
        }
    }

    @Test
    void tablesAndOperationsChoose() {
        RowChange insert = RowChanges.insert("{\"id\":1}");
        assertThat(isAbout("- tables: [public.alert]", insert)).isTrue();
        assertThat(isAbout("- tables: [public.trade]", insert)).isFalse();
        assertThat(isAbout("- operations: [insert, delete]", insert)).isTrue();
        assertThat(isAbout("- operations: [update]", insert)).isFalse();
        assertThat(isAbout("- {tables: [public.alert], operations: [update]}", insert))
                .isFalse();
        assertThat(isAbout("- {tables: [public.trade]}\n- {operations: [insert]}", insert))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a: high                    | {\"a\":\"high\"}   | true",
                "a: high                    | {\"a\":\"low\"}    | false",
                "a: high                    | {\"a\":null}       | false",
                "a: {'==': 10}              | {\"a\":10}         | true",
                "a: {'==': 10}              | {\"a\":10.00}      | true",
                "a: {'==': 10}              | {\"a\":\"10\"}     | true",
                "a: {'==': 010}             | {\"a\":\"10\"}     | false",
                "a: {'!=': 10}              | {\"a\":11}         | true",
                "a: {'!=': 10}              | {\"a\":10.0}       | false",
                "a: {'!=': 10}              | {\"a\":null}       | false",
                "a: {'<': 10}               | {\"a\":9}          | true",
                "a: {'<': 10}               | {\"a\":9.999999999999999999999} | true",
                "a: {'<': 10}               | {\"a\":10}         | false",
                "a: {'<=': 10}              | {\"a\":10}         | true",
                "a: {'>': 9}                | {\"a\":10}         | true",
                "a: {'>': 9}                | {\"a\":\"10\"}     | true",
                "a: {'>': 9007199254740992} | {\"a\":9007199254740993} | true",
                "a: {'>=': 1e3}             | {\"a\":1000}       | true",
                "a: {'>': 9}                | {\"a\":null}       | false",
                "a: {'>': 2026-01-01T00:00} | {\"a\":\"2026-03-01T12:00:00\"} | true",
                "a: {'>': b}                | {\"a\":\"a\"}      | false",
                "a: {'>': 1, '<': 5}        | {\"a\":3}          | true",
                "a: {'>': 1, '<': 5}        | {\"a\":7}          | false",
                "a: {in: [x, y]}            | {\"a\":\"y\"}      | true",
                "a: {in: [x, y]}            | {\"a\":\"z\"}      | false",
                "a: {in: [1, 2]}            | {\"a\":2}          | true",
                "a: {in: [x]}               | {\"a\":null}       | false",
                "a: {is: null}              | {\"a\":null}       | true",
                "a: {is: null}              | {\"a\":1}          | false",
                "a: {is: not null}          | {\"a\":1}          | true",
                "a: {is: not null}          | {\"a\":null}       | false",
                "a: true                    | {\"a\":true}       | true",
                "a: true                    | {\"a\":false}      | false",
                "a: {'==': 1}, b: 2         | {\"a\":1,\"b\":3}  | false",
            })
    void comparisons(String columns, String after, boolean expected) {
        assertThat(isAbout("- columns: {" + columns + "}", RowChanges.insert(after)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "b: 1         | {\"a\":1}      | column 'b' is not there",
                "a: high      | {\"a\":1}      | the number 1 cannot be compared with 'high'",
                "a: {'<': 1}  | {\"a\":\"x\"}  | the text 'x' cannot be compared with the number 1",
                "a: {'<': 1}  | {\"a\":true}   | true cannot be compared with '1'",
                "a: {'<': 1}  | {\"a\":[1]}    | a list cannot be compared",
                "a: x         | {\"a\":{}}     | an object cannot be compared",
            })
    void whatCannotBeToldParksTheRowWithItsReason(String columns, String after, String reason) {
        assertThat(cannotTell("- columns: {" + columns + "}", RowChanges.insert(after)))
                .hasMessageContaining("The rules of the channel cannot be evaluated for this insert of public.alert: ")
                .hasMessageContaining(reason);
    }

    @Test
    void whatAnEarlierConditionLeavesOutIsNotLookedAt() {
        assertThat(isAbout("- {tables: [public.trade], columns: {missing: 1}}", RowChanges.insert("{}")))
                .isFalse();
        assertThat(isAbout("- {operations: [insert]}\n- {columns: {missing: 1}}", RowChanges.insert("{}")))
                .isTrue();
    }

    @Test
    void ofADeletedRowWhatIsKnownOfItCounts() {
        assertThat(isAbout("- columns: {id: 1}", RowChanges.delete("{\"id\":1}")))
                .isTrue();
        assertThat(cannotTell("- columns: {state: x}", RowChanges.delete("{\"id\":1}")))
                .hasMessageContaining("REPLICA IDENTITY FULL");
        assertThat(isAbout("- columns: {state: x}", RowChanges.truncate())).isFalse();
    }

    @Test
    void changedIsAboutUpdates() {
        String rule = "- changed: [state, owner]";
        assertThat(isAbout(rule, RowChanges.update("{\"state\":1,\"owner\":2}", "{\"state\":1,\"owner\":3}")))
                .isTrue();
        assertThat(isAbout(rule, RowChanges.update("{\"state\":1,\"owner\":2}", "{\"state\":1,\"owner\":2}")))
                .isFalse();
        assertThat(isAbout(rule, RowChanges.update("{\"state\":null,\"owner\":2}", "{\"state\":1,\"owner\":2}")))
                .isTrue();
        assertThat(isAbout(rule, RowChanges.insert("{\"state\":1}"))).isFalse();
        assertThat(isAbout("- changed: [big]", RowChanges.update("{}", "{}"))).isFalse();
        assertThat(cannotTell(rule, RowChanges.update("null", "{\"state\":1,\"owner\":3}")))
                .hasMessageContaining("what column 'state' was before is not in the WAL");
        assertThat(cannotTell(rule, RowChanges.update("{\"state\":1}", "{}")))
                .hasMessageContaining("column 'state' is not there");
    }

    @Test
    void aLargeValueThatDidNotChangeIsTheOneBefore() {
        assertThat(isAbout("- columns: {big: x}", RowChanges.update("{\"big\":\"x\"}", "{\"id\":1}")))
                .isTrue();
        assertThat(cannotTell("- columns: {big: x}", RowChanges.update("null", "{\"id\":1}")))
                .hasMessageContaining("did not change, and so large a value is not in the WAL again");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hello                             | its payload is no JSON object",
                "null                              | it has no 'table'",
                "[1]                               | its payload is no JSON object",
                "{\"table\":\"a\"}                   | it has no 'table' and 'operation'",
                "{\"table\":\"a\",\"operation\":\"x\"} | it has no 'table' and 'operation'",
            })
    void aMessageThatIsNoChangeIsParked(String payload, String reason) {
        assertThatThrownBy(() -> RowChanges.of(payload))
                .isInstanceOfSatisfying(
                        HandlerException.class,
                        refused -> assertThat(refused.verdict()).isEqualTo(Verdict.PARK))
                .hasMessageContaining("is no row change that a capture wrote: " + reason);
    }
}
