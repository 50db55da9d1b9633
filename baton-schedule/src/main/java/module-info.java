/** Runs a duty at the times of a cron expression, in one process of many. */
module org.pgbaton.schedule {
    requires transitive org.pgbaton;
    requires com.cronutils;
    requires org.slf4j;
    requires static org.jspecify;

    exports org.pgbaton.schedule;
}
