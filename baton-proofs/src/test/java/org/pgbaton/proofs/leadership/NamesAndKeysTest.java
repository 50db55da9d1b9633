package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipNameException;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.Session;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Names and keys of leaderships, and other programs that use the same key. */
@BatonTest
class NamesAndKeysTest {

    @Test
    void twoNamesOnOneKeyAreAClearError(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            baton.leadership("one").key(100).lead();
            assertThatThrownBy(() -> baton.leadership("two").key(100).tryLead())
                    .isInstanceOf(LeadershipNameException.class)
                    .hasMessageContaining("'two'")
                    .hasMessageContaining("belongs to leadership 'one'")
                    .hasMessageContaining("rename");
        }
    }

    @Test
    void oneNameOnTwoKeysIsAClearError(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            baton.leadership("one").lead();
            assertThatThrownBy(() -> baton.leadership("one").key(7).tryLead())
                    .isInstanceOf(LeadershipNameException.class)
                    .hasMessageContaining("is registered with the advisory key");
        }
    }

    @Test
    void aNumericKeyExcludesAProgramThatUsesAdvisoryLocksItself(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            statement.execute("SET application_name = 'odd-platform'; SELECT pg_advisory_lock(100)");
            LeadershipAttempt attempt = baton.leadership("notifier").key(100).tryLead();
            assertThat(attempt).isInstanceOfSatisfying(LeadershipAttempt.Held.class, held -> {
                assertThat(held.holder()).isNotNull();
                assertThat(held.holder().name()).isEqualTo("odd-platform");
                assertThat(held.holder().since()).isNull();
            });

            statement.execute("SELECT pg_advisory_unlock(100)");
            baton.leadership("notifier").key(100).lead();
            var tried = statement.executeQuery("SELECT pg_try_advisory_lock(100)");
            tried.next();
            assertThat(tried.getBoolean(1)).isFalse();
        }
    }

    @Test
    void negativeAndHugeKeysAreSeenInStatus(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            for (long key : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31, 0}) {
                baton.leadership("key " + key).key(key).lead();
            }
            assertThat(baton.leaderStatus())
                    .hasSize(5)
                    .allSatisfy(each -> assertThat(each.holder()).isEqualTo("me"));
        }
    }

    @Test
    void whoTriesLearnsWhoLeadsSinceWhen(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term term = one.leadership("job").lead();
            LeadershipAttempt attempt = two.leadership("job").tryLead();
            assertThat(attempt).isInstanceOfSatisfying(LeadershipAttempt.Held.class, held -> {
                assertThat(held.holder().name()).isEqualTo("one");
                assertThat(held.holder().epoch()).isEqualTo(term.epoch());
                assertThat(held.holder().since()).isEqualTo(term.since());
            });
        }
    }

    @Test
    void aSecondBidInTheSameProcessIsHeldByTheFirst(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            Term first = baton.leadership("job").lead();
            assertThat(baton.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Held.class);
            first.close();
            assertThat(baton.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
        }
    }

    @Test
    void aSecondCandidateOfTheSameNameIsRefusedAndTheFirstGoesOn(TestDatabase database) {
        try (Baton baton = database.baton()) {
            Candidate first = baton.leadership("job").campaign(term -> {});
            assertThatThrownBy(() -> baton.leadership("job").campaign(term -> {}))
                    .isInstanceOf(LeadershipNameException.class)
                    .hasMessageContaining("runs in this process already");
            Eventually.isTrue(() -> first.term() != null);
            first.close();
            baton.leadership("job").campaign(term -> {}).close();
        }
    }

    @Test
    void aLockTakenTwiceInOneSessionIsFreedOnce(TestDatabase database) throws Exception {
        try (Session session = KilledInMidStatementTest.sessionOf(database.url())) {
            assertThat(session.tryLock(5)).isTrue();
            assertThat(session.tryLock(5)).isTrue();
            assertThat(session.awaitLock(5, Duration.ofMillis(10))).isTrue();
            // Stacked locks would need three of these.
            boolean freed = session.query("unlock", "SELECT pg_advisory_unlock(5)", rows -> rows.next());
            assertThat(freed).isTrue();
            assertThat(database.one("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 5"))
                    .isEqualTo("0");
        }
    }

    @Test
    void oddCharactersAreFine(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            for (String name :
                    new String[] {"O'Reilly \"x\"; DROP TABLE", "größe", "🏃‍♀️ baton", "a/b\\c%d", "${schema}"}) {
                baton.leadership(name).lead();
            }
            assertThat(baton.leaderStatus())
                    .extracting(LeaderStatus::holder)
                    .containsOnly("me")
                    .hasSize(5);
        }
    }

    @Test
    void namesThatCannotBeUsedAreRefusedBeforeAnythingHappens(TestDatabase database) {
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.leadership("x".repeat(10_000)))
                    .isInstanceOf(LeadershipNameException.class)
                    .hasMessageContaining("10000 characters")
                    .message()
                    .hasSizeLessThan(200);
            assertThatThrownBy(() -> baton.leadership(" ")).isInstanceOf(LeadershipNameException.class);
            assertThatThrownBy(() -> baton.leadership("a\u0000b"))
                    .isInstanceOf(LeadershipNameException.class)
                    .hasMessageContaining("U+0000");
            assertThatThrownBy(() -> baton.leadership("job").lease(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("2 s to 1 day (default 10 s)");
        }
    }
}
