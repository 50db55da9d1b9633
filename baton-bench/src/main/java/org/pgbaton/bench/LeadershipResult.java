package org.pgbaton.bench;

import java.util.Locale;

/** The measurements of one contender. */
final class LeadershipResult {
    final Contender contender;
    final Samples killed = new Samples();
    final Samples frozen = new Samples();
    final Samples handedOver = new Samples();
    double leaderStatements = Double.NaN;
    double standbyStatements = Double.NaN;

    LeadershipResult(Contender contender) {
        this.contender = contender;
    }

    String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %.1f / %.1f |",
                contender.name(),
                contender.settings(),
                killed.shown(),
                frozen.shown(),
                handedOver.shown(),
                leaderStatements,
                standbyStatements);
    }
}
