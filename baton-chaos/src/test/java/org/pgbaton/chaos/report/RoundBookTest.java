package org.pgbaton.chaos.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Rounds add up, whoever played them and however they ended. */
class RoundBookTest {
    private final Path folder;

    private RoundBook book;

    RoundBookTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        this.book = new RoundBook(folder, null);
    }

    private void addRaw(String text) throws IOException {
        Files.writeString(folder.resolve("rounds.jsonl"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void aRoundIsReadAsItWasWritten() throws IOException {
        RoundEntry round = Rounds.violated("projection", "kill", "twice");
        book.add(round);
        assertThat(new RoundBook(folder, null).totals().latest()).containsExactly(round);
    }

    @Test
    void eachRoundIsOneLineWithTheNamesThatTheDocumentationSays() throws IOException {
        book.add(Rounds.held("projection", "kill", 300L));
        book.add(Rounds.held("projection", "kill", null));
        assertThat(Files.readAllLines(folder.resolve("rounds.jsonl")))
                .hasSize(2)
                .first()
                .asString()
                .isEqualTo("""
                {"postgres":17,"scenario":"projection","fault":"kill","seed":4711,"begun":"2026-11-16T06:00:00Z","seconds":360.0,\
                "violations":[],"void":false,"why":null,"done":1000,"calmMillis":250,"takeoverMillis":300,"violatedAtMillis":null,\
                "events":[{"millis":950,"what":"kill -9 worker-1"}],"timeLine":{"tracks":[{"kind":"SUBSCRIPTION","name":"projection",\
                "runs":[[0,"worker-1",1,900,1000],[0,null,1,1000,1100],[0,"worker-2",2,1100,1100]],"lag":[[900,3],[1000,12]]}]}}""");
    }

    @Test
    void aFileOutsideTheFolderKeepsRoundsInShortForm() throws IOException {
        Path kept = folder.resolve("kept.csv");
        book.add(Rounds.held("leadership", "kill", 300L));
        RoundBook keeping = new RoundBook(folder, kept);
        keeping.add(Rounds.violated("projection", "kill", "twice"));
        assertThat(keeping.totals().all().rounds()).isEqualTo(2);
        assertThat(Files.readAllLines(kept))
                .containsExactly(
                        "postgres,scenario,fault,seed,begun,seconds,verdict,done,calm_ms,takeover_ms",
                        "17,leadership,kill,4711,2026-11-16T06:00:00Z,360.0,held,1000,250,300",
                        "17,projection,kill,4711,2026-11-16T06:00:00Z,360.0,I2,1000,250,");

        assertThat(new RoundBook(folder, kept).totals().all().rounds())
                .as("a round in both counts once")
                .isEqualTo(2);
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        RoundBook later = new RoundBook(elsewhere, kept);
        assertThat(later.verdicts(17, "leadership", "kill")).isEqualTo(1);
        assertThat(later.totals().all().violated()).isEqualTo(1);
        assertThat(later.totals().latest()).isEmpty();
    }

    @Test
    void theNextCampaignAddsToTheLastOne() throws IOException {
        book.add(Rounds.held("projection", "kill", 100L));
        book.add(Rounds.held("leadership", "kill", 300L));
        book.report(Rounds.GRID);
        RoundBook next = new RoundBook(folder, null);
        next.add(Rounds.violated("projection", "kill", "twice"));
        next.report(Rounds.GRID);

        JsonNode report = Json.COMPACT.readTree(Files.readString(folder.resolve("report.json")));
        assertThat(report.get("rounds").asInt()).isEqualTo(3);
        assertThat(report.get("violated").asInt()).isEqualTo(1);
        assertThat(report.get("hours").asDouble()).isEqualTo(0.3);
        assertThat(report.get("takeoverMillis").get("kill").toString())
                .isEqualTo("{\"measured\":2,\"p50\":100,\"p99\":300,\"max\":300}");
        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("A promise did not hold in 1 round. 3 rounds in 18 min, 1 violated")
                .contains("| projection | kill | 2 | 1 | 0 | 2,000 | 250 | 250 | 100 | 100 | 100 |")
                .contains("| kill | 2 | 100 | 300 | 300 |");
        assertThat(Files.readString(folder.resolve("report.html")))
                .contains("1 of 2")
                .contains("Violated rounds");
    }

    @Test
    void twoCampaignsAtTheSameTimeSeeEachOthersRounds() throws IOException {
        RoundBook other = new RoundBook(folder, null);
        book.add(Rounds.held("projection", "kill", null));
        assertThat(other.totals().all().rounds()).isEqualTo(1);
        book.add(Rounds.held("projection", "kill", null));
        other.add(Rounds.held("leadership", "kill", null));
        assertThat(book.totals().all().rounds()).isEqualTo(3);
        assertThat(other.totals().all().rounds()).isEqualTo(3);
    }

    @Test
    void aCampaignThatWasEndedInTheMiddleOfALineLosesThatLineOnly() throws IOException {
        book.add(Rounds.held("projection", "kill", null));
        addRaw("{\"postgres\":17,\"scen");
        RoundBook next = new RoundBook(folder, null);
        next.add(Rounds.held("projection", "kill", null));
        Totals totals = next.totals();
        assertThat(totals.all().rounds()).isEqualTo(2);
        assertThat(totals.unreadable()).isEqualTo(1);
        next.report(Rounds.GRID);
        assertThat(Files.readString(folder.resolve("report.md"))).contains("1 lines of rounds.jsonl cannot be read");
    }

    @Test
    void aVoidRoundProvesNothing() throws IOException {
        addRaw("{\"scenario\":\"projection\",\"fault\":\"kill\",\"void\":true}\n");
        assertThat(book.totals().verdict()).isEqualTo("No round came to a verdict");
        assertThat(book.totals().isGood()).isFalse();
        book.add(Rounds.held("projection", "kill", null));
        assertThat(book.totals().verdict()).isEqualTo("Every promise held in 1 round");
        assertThat(book.totals().isGood()).isTrue();
    }

    @Test
    void aLineOfAnotherVersionCountsWithWhatItSays() throws IOException {
        addRaw(
                "{\"scenario\":\"projection\",\"fault\":\"gone\",\"violations\":[{\"invariant\":\"I9\"}],\"weather\":{\"rain\":1}}\n");
        Totals totals = book.totals();
        assertThat(totals.all().rounds()).isEqualTo(1);
        assertThat(totals.all().violated()).isEqualTo(1);
        book.report(Rounds.GRID);
        assertThat(Files.readString(folder.resolve("report.html")))
                .contains("gone")
                .contains("at an unknown time");
    }

    @Test
    void aFolderWithoutRoundsHasAReportThatSaysSo() throws IOException {
        book.report(Rounds.GRID);
        assertThat(Files.readString(folder.resolve("report.md"))).contains("No round was played yet");
        assertThat(Files.readString(folder.resolve("report.html"))).contains("No round was played yet");
    }

    @Test
    void percentilesAreValuesThatWereMeasured() {
        List<Long> hundred = LongStream.rangeClosed(1, 100).boxed().toList();
        assertThat(Sum.percentile(hundred, 50)).isEqualTo(50);
        assertThat(Sum.percentile(hundred, 99)).isEqualTo(99);
        assertThat(Sum.percentile(hundred, 100)).isEqualTo(100);
        assertThat(Sum.percentile(List.of(7L), 50)).isEqualTo(7);
        assertThat(Sum.percentile(List.of(), 50)).isNull();
    }

    @Test
    void aRoundWithManyStrikesIsRepeatedByItsOptions() throws IOException {
        RoundEntry many = new RoundEntry(
                17,
                "kafka",
                "many",
                4711,
                null,
                360,
                List.of(),
                false,
                null,
                100_000,
                250L,
                null,
                null,
                List.of(),
                TimeLine.empty(),
                "--scenarios kafka --faults kill,freeze --messages 100000");
        assertThat(many.command())
                .isEqualTo(
                        "./baton chaos --scenarios kafka --faults kill,freeze --messages 100000 --rounds 1 --seed 4711 --pg 17");
        assertThat(Json.COMPACT.readValue(Json.COMPACT.writeValueAsString(many), RoundEntry.class))
                .isEqualTo(many);
    }
}
