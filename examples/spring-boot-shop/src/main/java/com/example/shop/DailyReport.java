package com.example.shop;

import org.pgbaton.spring.LeaderOnly;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** A report that one instance writes, though the schedule runs in all of them. */
@Component
class DailyReport {
    private final JdbcClient jdbc;

    DailyReport(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Scheduled(fixedDelay = 1000)
    @LeaderOnly(value = "daily-report", atMostEvery = "12h")
    @Transactional
    public void write() {
        jdbc.sql("INSERT INTO report (orders) SELECT count(*) FROM customer_order").update();
    }
}
