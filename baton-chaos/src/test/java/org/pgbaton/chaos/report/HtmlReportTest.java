package org.pgbaton.chaos.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** The page shows all there is, and text stays text whatever it says. */
class HtmlReportTest {
    private static final String HOSTILE = "</title></svg><script>alert('1')</script> & \"quoted\" \u0000 \ud800 ]]> |";
    private static final Pattern DRAWING = Pattern.compile("<svg class=\"line\".*?\n</svg>\n", Pattern.DOTALL);

    private final Totals totals = new Totals();

    private String page() {
        return HtmlReport.of(totals, Rounds.GRID.with(totals.byPair().keySet()), Instant.EPOCH);
    }

    @Test
    void hostileTextIsEscapedWhereverItStands() {
        totals.add(Rounds.round(17, HOSTILE, HOSTILE, 100L, List.of(new RoundEntry.Broken(HOSTILE, HOSTILE)), HOSTILE));
        String page = page();
        assertThat(page).doesNotContain("<script").doesNotContain("'1'").contains("&lt;script&gt;");
        assertThat(MarkdownReport.of(totals, Rounds.GRID.with(totals.byPair().keySet())))
                .doesNotContain("<script")
                .contains("]]&gt; \\|");
    }

    @Test
    void theDrawingIsWellFormedWhateverItsTextsAre() throws Exception {
        totals.add(Rounds.round(17, HOSTILE, "kill", 100L, List.of(new RoundEntry.Broken("I2", "twice")), HOSTILE));
        Matcher drawing = DRAWING.matcher(page());
        int drawings = 0;
        while (drawing.find()) {
            drawings++;
            DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(drawing.group())));
        }
        assertThat(drawings).isEqualTo(1);
    }

    @Test
    void thePageNeedsNothingBesideIt() {
        totals.add(Rounds.held("projection", "kill", 100L));
        assertThat(page())
                .doesNotContain("<script")
                .doesNotContain("<link")
                .doesNotContain("src=")
                .doesNotContain("url(");
    }

    @Test
    void aViolatedRoundSaysWhatBrokeWhereAndHowToRepeatIt() {
        totals.add(Rounds.violated("projection", "kill", "projection: position 12 of key key-3"));
        assertThat(page().replaceAll("</?span>", ""))
                .contains("A promise did not hold in 1 round")
                .contains("<b>I2</b> projection: position 12 of key key-3")
                .contains("first violation, about here")
                .contains("kill -9 worker-1")
                .contains("./baton chaos --scenarios projection --faults kill --rounds 1 --seed 4711 --pg 17");
    }

    @Test
    void pairsThatDoNotApplyAreBlankAndThoseThatWereNotPlayedAreZero() {
        totals.add(Rounds.held("projection", "kill", 100L));
        assertThat(page())
                .containsPattern("<th scope=\"row\">storm</th><td class=\"none\">0</td><td class=\"not\"></td></tr>");
    }

    @Test
    void everyViolatedRoundIsShownHoweverLongAgoItWas() {
        totals.add(Rounds.violated("projection", "kill", "long ago"));
        for (int i = 0; i < 100; i++) {
            totals.add(Rounds.held("projection", "kill", 100L));
        }
        assertThat(page()).contains("long ago");
        assertThat(page().split("<details")).hasSize(1 + 1 + 40);
    }

    @Test
    void aLongTextIsShortenedInTheDrawingAndWholeBelowIt() {
        String whole = "pg_terminate_backend: " + "baton worker-1, ".repeat(20);
        assertThat(Html.shortened(whole, 30)).hasSize(30).endsWith("…");
        assertThat(Html.shortened("short", 30)).isEqualTo("short");
    }
}
