package org.pgbaton.bench.growth;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class PlotTest {
    @Test
    void aPlotIsWellFormedAndNeedsNothingElse() throws Exception {
        Plot plot = new Plot("Rows & more <rows>", "rows", "times").limit(1.2);
        plot.steps(List.of("100 k", "1 M", "10 M"));
        plot.line("append", List.of(1.0, 1.1, 1.05));
        plot.line("with a gap", List.of(1.0, Double.NaN, 0.9));
        Document drawn = parsed(plot.svg());
        assertThat(drawn.getElementsByTagName("circle").getLength()).isEqualTo(5);
        assertThat(plot.svg())
                .contains("prefers-color-scheme: dark", "Rows &amp; more &lt;rows&gt;")
                .doesNotContain("NaN", "href", "url(");
    }

    @Test
    void valuesOfVeryDifferentSizesAreOnALogarithmicAxis() throws Exception {
        Plot plot = new Plot("Wide", "x", "y");
        plot.steps(List.of("1", "2", "3"));
        plot.line("wide", List.of(1.0, 0.0, 5000.0));
        parsed(plot.svg());
        assertThat(plot.svg()).contains(">10,000<").doesNotContain("Infinity", "NaN");
    }

    @Test
    void aCurveOfOneStepOrNoneCanBeDrawn() throws Exception {
        Curve curve = new Curve("rows", "row").line("append", "µs");
        parsed(curve.plot("none").svg());
        curve.step(1, 2.0);
        parsed(curve.plot("one").svg());
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }
}
