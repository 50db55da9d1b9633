package org.pgbaton.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When an expression is due, above all on the two days of the year on which Berlin changes its clocks. */
class DueTimesTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    /** The clocks go from 02:00 to 03:00. */
    private static final LocalDateTime SPRING = LocalDateTime.of(2026, 3, 29, 0, 0);

    /** The clocks go from 03:00 back to 02:00. */
    private static final LocalDateTime AUTUMN = LocalDateTime.of(2026, 10, 25, 0, 0);

    @ParameterizedTest
    @ValueSource(strings = {"0 2 * * *", "30 2 * * *", "15,45 2 * * *", "30 2 29 3 *", "30 2 * * 0"})
    void aFixedTimeInTheGapIsDueOnceAtItsEnd(String cron) {
        assertThat(dueOn(SPRING, cron)).containsExactly("03:00+02:00");
    }

    @Test
    void aTimeAtTheEndOfTheGapIsNotDueTwice() {
        assertThat(dueOn(SPRING, "0 2,3 * * *")).containsExactly("03:00+02:00");
        assertThat(dueOn(SPRING, "30 1,2,3 * * *")).containsExactly("01:30+01:00", "03:00+02:00", "03:30+02:00");
    }

    @Test
    void whatIsDueEachHourIsNotDueInTheGap() {
        assertThat(dueOn(SPRING, "30 * * * *")).startsWith("00:30+01:00", "01:30+01:00", "03:30+02:00", "04:30+02:00");
        assertThat(dueOn(SPRING, "*/30 1-3 * * *"))
                .containsExactly("01:00+01:00", "01:30+01:00", "03:00+02:00", "03:30+02:00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"30 2 * * *", "30 2 25 10 *", "30 2 * * 0"})
    void aFixedTimeThatComesTwiceIsDueTheFirstTimeOnly(String cron) {
        assertThat(dueOn(AUTUMN, cron)).containsExactly("02:30+02:00");
    }

    @Test
    void aFixedTimeAfterTheRepeatedHourIsDueAsEver() {
        assertThat(dueOn(AUTUMN, "0,30 1-3 * * *"))
                .containsExactly(
                        "01:00+02:00", "01:30+02:00", "02:00+02:00", "02:30+02:00", "03:00+01:00", "03:30+01:00");
    }

    @Test
    void whatIsDueEachHourIsDueTwiceInTheRepeatedHour() {
        assertThat(dueOn(AUTUMN, "30 * * * *"))
                .startsWith("00:30+02:00", "01:30+02:00", "02:30+02:00", "02:30+01:00", "03:30+01:00");
    }

    /** Whoever asks later must not find a due time that the one before did not know, or the other way round. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "30 2 * * *",
                "0 2 * * 0",
                "30 2 25 10 *",
                "*/7 * * * *",
                "0 */2 * * *",
                "5 0-4 * * *",
                "0 0 1 * *"
            })
    void theAnswerDoesNotDependOnWhenSomebodyAsks(String cron) {
        DueTimes times = DueTimes.of(cron, BERLIN);
        for (LocalDateTime day : List.of(SPRING, AUTUMN)) {
            Instant asked = day.minusHours(4).atZone(BERLIN).toInstant();
            Instant next = times.next(asked);
            for (int minute = 0; minute < 12 * 60; minute++) {
                asked = asked.plusSeconds(60);
                if (!next.isAfter(asked)) {
                    next = times.next(next);
                }
                assertThat(times.next(asked.plusMillis(17)))
                        .as("asked at %s", asked)
                        .isEqualTo(next);
            }
        }
    }

    @Test
    void itIsDueAtEveryMinuteThatFitsAndAtNoOther() {
        same(
                "*/15 8-17 * * 1-5",
                at -> at.getMinute() % 15 == 0
                        && at.getHour() >= 8
                        && at.getHour() <= 17
                        && at.getDayOfWeek().getValue() <= 5);
        same(
                "0 3 1,15 * *",
                at -> at.getMinute() == 0
                        && at.getHour() == 3
                        && (at.getDayOfMonth() == 1 || at.getDayOfMonth() == 15));
        same(
                "59 23 31 12 *",
                at -> at.getMonthValue() == 12
                        && at.getDayOfMonth() == 31
                        && at.getHour() == 23
                        && at.getMinute() == 59);
        // As cron does it: with a day of the month and a day of the week, either of them is enough.
        same(
                "0 0 13 * 5",
                at -> at.getMinute() == 0
                        && at.getHour() == 0
                        && (at.getDayOfMonth() == 13 || at.getDayOfWeek().getValue() == 5));
        same(
                "0 12 * * 7",
                at -> at.getMinute() == 0
                        && at.getHour() == 12
                        && at.getDayOfWeek().getValue() == 7);
    }

    private static void same(String cron, Predicate<ZonedDateTime> fits) {
        ZonedDateTime at = ZonedDateTime.of(2027, 11, 1, 0, 0, 0, 0, ZoneOffset.UTC);
        ZonedDateTime end = at.plusMonths(5); // over a leap day
        List<Instant> expected = new ArrayList<>();
        for (ZonedDateTime minute = at.plusMinutes(1); minute.isBefore(end); minute = minute.plusMinutes(1)) {
            if (fits.test(minute)) {
                expected.add(minute.toInstant());
            }
        }
        assertThat(between(DueTimes.of(cron, ZoneOffset.UTC), at.toInstant(), end.toInstant()))
                .as(cron)
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"* * * * *", "30 2 * * *", "0 3 1 * *", "0 0 29 2 *"})
    void theLatestIsTheLastThatHasComeHoweverLongNobodyLooked(String cron) {
        DueTimes times = DueTimes.of(cron, BERLIN);
        Instant first = times.next(Instant.parse("2019-11-18T10:00:00Z"));
        for (String now : List.of("2026-10-25T00:45:00Z", "2026-10-25T01:45:30Z", "2026-03-29T01:00:00Z")) {
            Instant then = Instant.parse(now);

            Instant latest = times.latest(first, then);

            assertThat(latest).isBeforeOrEqualTo(then);
            assertThat(times.next(latest)).isAfter(then);
            assertThat(times.next(latest.minusSeconds(1))).isEqualTo(latest);
        }
        assertThat(times.latest(first, first)).isEqualTo(first);
        assertThat(times.latest(first, first.plus(Duration.ofSeconds(1)))).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "61 * * * *",
                "* * * *",
                "* * * * * *",
                "@daily",
                "0 3 * * ?",
                "*/0 * * * *",
                "5-1 * * * *"
            })
    void aMalformedExpressionIsRefusedInOneSentence(String cron) {
        assertThatThrownBy(() -> DueTimes.of(cron, BERLIN))
                .isInstanceOf(CronException.class)
                .hasMessageStartingWith("'" + cron + "' is no cron expression (")
                .hasMessageContaining("such as '0 3 * * *'");
    }

    @Test
    void anExpressionThatIsNeverDueIsRefused() {
        assertThatThrownBy(() -> DueTimes.of("0 0 30 2 *", BERLIN)).hasMessageContaining("'0 0 30 2 *' is never due");
    }

    /** Of one day, as a clock on the wall shows them. */
    private static List<String> dueOn(LocalDateTime day, String cron) {
        Instant start = day.atZone(BERLIN).toInstant();
        return between(
                        DueTimes.of(cron, BERLIN),
                        start.minusMillis(1),
                        day.plusDays(1).atZone(BERLIN).toInstant())
                .stream()
                .map(at -> at.atZone(BERLIN))
                .map(at -> at.toLocalTime() + at.getOffset().getId())
                .toList();
    }

    private static List<Instant> between(DueTimes times, Instant start, Instant end) {
        List<Instant> found = new ArrayList<>();
        for (Instant each = times.next(start); each.isBefore(end); each = times.next(each)) {
            found.add(each);
        }
        return found;
    }
}
