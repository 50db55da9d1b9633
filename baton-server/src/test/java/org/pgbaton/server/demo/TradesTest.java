package org.pgbaton.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** The demo's check finds what it says is not there. */
@BatonTest
class TradesTest {
    private static final String BOOKED = """
            INSERT INTO baton.events (key, payload) VALUES ('P1', '{"number": 1, "quantity": 10}'), ('P1', '{"number": 2, "quantity": -3}'),
              ('P2', '{"number": 1, "quantity": 5}');
            INSERT INTO holding VALUES ('P1', 7, 2), ('P2', 5, 1);
            INSERT INTO handled VALUES ('P1', 1, 'a'), ('P1', 2, 'b'), ('P2', 1, 'b')""";

    @Test
    void ifAllIsWellItSaysWhoDidIt(TestDatabase database) throws Exception {
        Trades.Result result = compared(database, BOOKED, 3);

        assertThat(result).isEqualTo(new Trades.Result(2, 3, 3, 1, List.of()));
    }

    @Test
    void aTradeThatWasSkippedShows(TestDatabase database) throws Exception {
        String skipped = BOOKED
                + "; DELETE FROM handled WHERE number = 2; UPDATE holding SET quantity = 10, last = 1 WHERE portfolio = 'P1'";

        assertThat(compared(database, skipped, 3).violations())
                .containsExactly("1 trades were not handled", "1 balances are wrong");
    }

    @Test
    void aTradeThatWasHandledTwiceShows(TestDatabase database) throws Exception {
        String twice = BOOKED
                + "; INSERT INTO handled VALUES ('P2', 1, 'a'); UPDATE holding SET quantity = 10, disorder = 1 WHERE portfolio = 'P2'";

        assertThat(compared(database, twice, 3).violations())
                .containsExactly("1 trades were handled twice", "1 balances are wrong", "1 trades came out of order");
    }

    @Test
    void aTradeThatTheLogLostShows(TestDatabase database) throws Exception {
        assertThat(compared(database, BOOKED, 4).violations()).containsExactly("1 trades are missing in the log");
    }

    @Test
    void aPortfolioThatNobodyTradedShows(TestDatabase database) throws Exception {
        assertThat(compared(database, BOOKED + "; INSERT INTO holding VALUES ('P3', 1, 1)", 3)
                        .violations())
                .containsExactly("1 balances are wrong");
    }

    private static Trades.Result compared(TestDatabase database, String sql, long expected) throws Exception {
        Trades trades = new Trades(database.url(), "baton", "trades");
        trades.prepare();
        database.execute(sql);
        return trades.compare(expected, List.of("a"), new ArrayList<>());
    }
}
