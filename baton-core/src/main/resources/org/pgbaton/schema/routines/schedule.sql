-- Schedules: the clock that says what is due, and the view for people.

-- Everything about schedules asks this clock, so a test can replace it.
CREATE OR REPLACE FUNCTION ${schema}.schedule_clock() RETURNS timestamptz
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
  SELECT clock_timestamp()
$function$;

-- A run whose process does not lead any more is lost, also before the next leader has recorded that.
CREATE OR REPLACE VIEW ${schema}.schedule_status AS
SELECT s.name,
       s.cron,
       s.zone,
       s.missed,
       s.next_due,
       l.holder,
       r.due AS run_due,
       r.started AS run_started,
       r.ended AS run_ended,
       CASE WHEN r.outcome = 'running' AND (l.holder IS NULL OR l.epoch <> r.epoch) THEN 'lost' ELSE r.outcome END AS run_outcome,
       r.error AS run_error,
       r.who AS run_by
  FROM ${schema}.schedule s
  LEFT JOIN ${schema}.leader_status l ON l.name = s.name
  LEFT JOIN LATERAL (
    SELECT * FROM ${schema}.schedule_run each WHERE each.schedule = s.name ORDER BY each.due DESC LIMIT 1) r ON true;

COMMENT ON VIEW ${schema}.schedule_status IS 'Baton: each schedule, when it is due next, and its last run.';
