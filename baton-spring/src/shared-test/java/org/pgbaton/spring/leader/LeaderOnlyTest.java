package org.pgbaton.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Term;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.CurrentTerm;
import org.pgbaton.spring.LeaderOnly;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A method with {@code @LeaderOnly} runs in one process at a time, also beside {@code @Scheduled} and {@code @Transactional}. */
@BatonTest
class LeaderOnlyTest {
    /** Duties of one process. */
    static class Duties {
        private final AtomicInteger scheduled = new AtomicInteger();
        private final CountDownLatch first = new CountDownLatch(1);

        @LeaderOnly("${duty.name}")
        public Optional<Long> epoch() {
            return CurrentTerm.get().map(Term::epoch);
        }

        @Transactional
        @LeaderOnly("in-transaction")
        public String inTransaction() {
            return TransactionSynchronizationManager.isActualTransactionActive() + " "
                    + CurrentTerm.get().isPresent();
        }

        @LeaderOnly(value = "rare", atMostEvery = "12h")
        public String rare() {
            return "ran";
        }

        @Scheduled(fixedDelay = 10)
        @LeaderOnly(value = "scheduled", atMostEvery = "1h")
        public void scheduled() {
            scheduled.incrementAndGet();
            first.countDown();
        }

        int soFar() {
            return scheduled.get();
        }

        int runs() throws InterruptedException {
            assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
            return scheduled.get();
        }
    }

    @Configuration
    static class WithDuties {
        @Bean
        Duties duties() {
            return new Duties();
        }
    }

    @Configuration
    @EnableScheduling
    static class WithSchedule {
        @Bean
        Duties duties() {
            return new Duties();
        }
    }

    @Test
    void aCallIsSkippedWhileAnotherProcessLeads(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context =
                        Applications.start(database, List.of("duty.name=reports"), WithDuties.class);
                Baton other = database.baton("other")) {
            Duties duties = context.getBean(Duties.class);
            assertThat(duties.epoch()).isPresent();
            try (Term term = other.leadership("reports").lead()) {
                assertThat(term.isLeading()).isTrue();
                assertThat(duties.epoch()).isEmpty();
            }
            assertThat(duties.epoch()).isPresent();
            assertThat(duties.inTransaction()).isEqualTo("true true");
            assertThat(duties.rare()).isEqualTo("ran");
            assertThat(duties.rare()).isNull();
            assertThat(CurrentTerm.get()).isEmpty();
            assertThatThrownBy(() -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> duties.epoch()))
                    .isInstanceOf(IllegalTransactionStateException.class)
                    .hasMessageContaining("would commit after the leadership has ended");
        }
    }

    @Test
    void aScheduledMethodRunsInOneOfTwoApplications(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext one = Applications.start(database, List.of(), WithSchedule.class);
                ConfigurableApplicationContext two =
                        Applications.start(database, List.of("baton.name=two"), WithDuties.class)) {
            assertThat(one.getBean(Duties.class).runs()).isEqualTo(1);
            two.getBean(Duties.class).scheduled(); // too soon
            assertThat(two.getBean(Duties.class).soFar()).isZero();
            assertThat(one.getBean(Duties.class).runs()).isEqualTo(1);
        }
    }

    /** Cannot be skipped: there would be nothing to return. */
    static class Primitive {
        @LeaderOnly("primitive")
        public int number() {
            return 1;
        }
    }

    /** No proxy can come in between. */
    static class Final {
        @LeaderOnly("final")
        public final void run() {}
    }

    @Test
    void whatCannotBeSkippedFailsTheStart(TestDatabase database) {
        assertThatThrownBy(() -> Applications.start(database, List.of(), Primitive.class))
                .rootCause()
                .hasMessageContaining("Primitive.number() with @LeaderOnly returns int");
        assertThatThrownBy(() -> Applications.start(database, List.of(), Final.class))
                .rootCause()
                .hasMessageContaining("Final.run() with @LeaderOnly is private, final or static");
    }
}
