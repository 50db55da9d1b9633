-- Baton's schema as it was made by the steps 1 to 7, before functions and views had one living definition. Never changed.

CREATE SCHEMA ${schema};

CREATE TABLE ${schema}.migration (
  number          integer PRIMARY KEY,
  name            text NOT NULL,
  compatible_from integer NOT NULL,
  applied_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  applied_by      text NOT NULL DEFAULT current_user
);


CREATE FUNCTION ${schema}.timeline() RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  RETURN (SELECT system_identifier FROM pg_control_system())
      || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 'unknown';
END
$function$;

CREATE FUNCTION ${schema}.lock_class(relation regclass) RETURNS integer
LANGUAGE sql STABLE AS $function$
  SELECT (relation::oid::bigint - CASE WHEN relation::oid::bigint > 2147483647 THEN 4294967296 ELSE 0 END)::integer
$function$;

CREATE FUNCTION ${schema}.await_lock(lock_key bigint, slice_ms integer) RETURNS boolean
LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  BEGIN
    PERFORM pg_advisory_xact_lock(lock_key);
  EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
  END;
  PERFORM pg_advisory_lock(lock_key);
  RETURN true;
END
$function$;

CREATE FUNCTION ${schema}.slice(slice_ms integer) RETURNS integer
LANGUAGE sql STABLE AS $function$
  SELECT greatest(1, least(slice_ms,
      floor(0.8 * 1000 * extract(epoch FROM current_setting('deadlock_timeout')::interval))))::integer
$function$;

CREATE TABLE ${schema}.leadership (
  id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name            text    NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
  key             bigint  NOT NULL UNIQUE,  -- two names that hash to one key are an error, not a surprise
  epoch           bigint  NOT NULL DEFAULT 0,
  timeline        text    NOT NULL DEFAULT 'none',
  holder          text,
  backend_pid     integer,
  since           timestamptz,
  released_at     timestamptz,              -- set only by a holder that left in good order
  vacant_for      interval,                 -- from that release to the next holder
  previous_holder text,
  changes         bigint  NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

COMMENT ON TABLE ${schema}.leadership IS 'Baton: one row for each leadership, with its advisory key and epoch.';

CREATE FUNCTION ${schema}.keep_leadership() RETURNS trigger
LANGUAGE plpgsql AS $function$
BEGIN
  RAISE EXCEPTION USING
    ERRCODE = 'YB002',
    MESSAGE = format('%s of leadership refused: its epochs must never start again or go back', tg_op),
    HINT = 'A leadership that nobody uses any more costs one row; leave it.';
END
$function$;

CREATE TRIGGER keep_leadership BEFORE DELETE OR TRUNCATE ON ${schema}.leadership
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.keep_leadership();
CREATE TRIGGER keep_epoch BEFORE UPDATE ON ${schema}.leadership
  FOR EACH ROW WHEN (new.epoch < old.epoch) EXECUTE FUNCTION ${schema}.keep_leadership();

CREATE FUNCTION ${schema}.gate(leadership_id integer, alone boolean) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
  IF alone THEN
    PERFORM pg_advisory_xact_lock(${schema}.lock_class('${schema}.leadership'::regclass), -leadership_id);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(${schema}.lock_class('${schema}.leadership'::regclass), -leadership_id);
  END IF;
END
$function$;

CREATE FUNCTION ${schema}.take_epoch(leadership_id integer, new_holder text, slice_ms integer)
RETURNS TABLE (epoch bigint, since timestamptz, vacant_for interval)
LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  here text := ${schema}.timeline();
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  PERFORM ${schema}.gate(leadership_id, true);
  RETURN QUERY
    UPDATE ${schema}.leadership l
       SET epoch = CASE WHEN l.timeline IN (here, 'none') THEN l.epoch + 1 ELSE ((l.epoch >> 32) + 1) << 32 END,
           timeline = here,
           previous_holder = l.holder,
           holder = new_holder,
           backend_pid = pg_backend_pid(),
           since = clock_timestamp(),
           vacant_for = clock_timestamp() - l.released_at,
           released_at = NULL,
           changes = l.changes + 1
     WHERE l.id = leadership_id
    RETURNING l.epoch, l.since, l.vacant_for;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN;
END
$function$;

CREATE FUNCTION ${schema}.release_epoch(leadership_id integer, my_epoch bigint) RETURNS boolean
LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM set_config('lock_timeout', '20ms', true);
  -- Only people read this; nobody waits for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE ${schema}.leadership
     SET released_at = clock_timestamp()
   WHERE id = leadership_id AND epoch = my_epoch;
  RETURN FOUND;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN false;
END
$function$;

CREATE FUNCTION ${schema}.guard(leadership text, my_epoch bigint, lease interval DEFAULT '10 s') RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.leadership;
  limit_ms bigint := least(greatest(coalesce(extract(epoch FROM lease), 10) * 1000, 1000), 86400000);
  already_ms bigint := extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval) * 1000;
BEGIN
  IF already_ms = 0 OR already_ms > limit_ms THEN
    PERFORM set_config('idle_in_transaction_session_timeout', limit_ms::text, true);
  END IF;
  PERFORM ${schema}.gate(l.id, false) FROM ${schema}.leadership l WHERE l.name = leadership;
  PERFORM 1 FROM ${schema}.leadership l
    WHERE l.name = leadership AND l.epoch = my_epoch AND l.released_at IS NULL
      AND l.timeline = ${schema}.timeline()
    FOR SHARE;
  IF NOT FOUND THEN
    SELECT l.* INTO present FROM ${schema}.leadership l WHERE l.name = leadership;
    RAISE EXCEPTION USING
      ERRCODE = 'YB001',
      MESSAGE = format('epoch %s of leadership %L is over: %s', my_epoch, leadership,
          CASE WHEN present.id IS NULL THEN 'nobody ever led it here'
               WHEN present.epoch <> my_epoch THEN 'epoch ' || present.epoch || ' leads now'
               WHEN present.released_at IS NOT NULL THEN 'it was released'
               ELSE 'the database has been promoted or restored since' END),
      HINT = 'Roll back and stop working: another process is or will be doing this job.';
  END IF;
END
$function$;

CREATE VIEW ${schema}.leader_status AS
WITH locks AS (
  SELECT classid, objid, objsubid, mode, pid
    FROM pg_locks
   WHERE locktype = 'advisory' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT l.name,
       CASE WHEN h.pid IS NULL THEN 'vacant' ELSE 'led' END AS state,
       CASE WHEN h.ours THEN l.holder
            WHEN h.pid IS NOT NULL THEN coalesce(nullif(h.application_name, ''), 'another program') END AS holder,
       l.epoch,
       CASE WHEN h.ours THEN l.since END AS since,
       h.pid AS backend_pid,
       (SELECT count(*) FROM locks p
         WHERE p.objsubid = 2 AND p.classid = '${schema}.leadership'::regclass AND p.objid = l.id::bigint::oid
           AND p.pid IS DISTINCT FROM h.pid)::integer AS standbys,
       (SELECT array_agg(coalesce(nullif(s.application_name, ''), s.pid::text) ORDER BY s.backend_start)
          FROM locks p JOIN pg_stat_activity s ON s.pid = p.pid
         WHERE p.objsubid = 2 AND p.classid = '${schema}.leadership'::regclass AND p.objid = l.id::bigint::oid
           AND p.pid IS DISTINCT FROM h.pid) AS standby_names,
       l.previous_holder,
       l.since AS taken_over_at,
       l.vacant_for,
       l.released_at,
       l.changes,
       l.key
  FROM ${schema}.leadership l
  LEFT JOIN LATERAL (
    -- A process id can be used again; who came later than the term began is somebody else.
    SELECT k.pid, a.application_name,
           k.pid = l.backend_pid AND (a.backend_start IS NULL OR a.backend_start <= l.since) AS ours
      FROM locks k LEFT JOIN pg_stat_activity a ON a.pid = k.pid
     WHERE k.objsubid = 1 AND k.mode = 'ExclusiveLock'
       AND k.classid::bigint = (l.key >> 32) & 4294967295
       AND k.objid::bigint = l.key & 4294967295
     LIMIT 1) h ON true;

COMMENT ON VIEW ${schema}.leader_status IS 'Baton: who leads, who waits, since when, under which epoch.';

INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (1, 'leadership', 1);


CREATE TABLE ${schema}.log (
  name           text     PRIMARY KEY CHECK (name ~ '^[a-z_][a-z0-9_]{0,39}$'),
  relation       regclass NOT NULL UNIQUE,
  sequence       regclass NOT NULL UNIQUE,
  lanes          integer  NOT NULL CHECK (lanes BETWEEN 1 AND 1024),
  retention      interval CHECK (retention >= interval '0'),  -- null: rows are kept for ever
  retained_above bigint   NOT NULL DEFAULT 0,                 -- everything up to here has been removed
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE ${schema}.log IS 'Baton: one row for each log; made by create_log().';

CREATE TABLE ${schema}.action (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  who     text NOT NULL,
  what    text NOT NULL,
  subject text NOT NULL,
  reason  text,
  detail  text
);

COMMENT ON TABLE ${schema}.action IS 'Baton: what operators did, and why.';

CREATE FUNCTION ${schema}.lane_of(key text, lanes integer) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT (((get_byte(h, 0)::bigint << 24) | (get_byte(h, 1) << 16) | (get_byte(h, 2) << 8) | get_byte(h, 3)) % lanes)::integer
    FROM sha256(convert_to(key, 'UTF8')) AS h
$function$;

CREATE FUNCTION ${schema}.log_refuse() RETURNS trigger
LANGUAGE plpgsql AS $function$
BEGIN
  IF tg_op IN ('DELETE', 'UPDATE') AND pg_catalog.current_setting('baton.door', true)
       = tg_op || ' ' || tg_relid || ' ' || pg_catalog.pg_current_xact_id() THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION USING
    ERRCODE = '55000',
    MESSAGE = pg_catalog.format('%s on log %I.%I refused: a log is append-only', tg_op, tg_table_schema, tg_table_name),
    HINT = 'Old rows go by retention, a payload that must disappear by ''baton logs redact''.';
END
$function$;

CREATE FUNCTION ${schema}.grant_log(relation regclass, sequence regclass) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['append', 'worker', 'read'] LOOP
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}_' || wanted) THEN
      EXECUTE format('GRANT SELECT ON %s TO %I', relation, '${name}_' || wanted);
      EXECUTE format('GRANT SELECT ON %s TO %I', sequence, '${name}_' || wanted);
      IF wanted <> 'read' THEN
        EXECUTE format('GRANT INSERT ON %s TO %I', relation, '${name}_' || wanted);
        EXECUTE format('GRANT USAGE ON %s TO %I', sequence, '${name}_' || wanted);
      END IF;
    END IF;
  END LOOP;
END
$function$;

CREATE FUNCTION ${schema}.create_log(log_name text, log_lanes integer DEFAULT 16, log_retention interval DEFAULT NULL)
RETURNS regclass
LANGUAGE plpgsql AS $create$
DECLARE
  relation regclass;
  sequence regclass;
  new_id   text := CASE WHEN current_setting('server_version_num')::integer >= 180000
                        THEN 'pg_catalog.uuidv7()' ELSE 'pg_catalog.gen_random_uuid()' END;
  -- Of a number modulo a small power of two only the last byte matters.
  lane     text := CASE WHEN log_lanes <= 256 AND log_lanes & (log_lanes - 1) = 0
                        THEN format('pg_catalog.get_byte(pg_catalog.sha256(pg_catalog.convert_to(new.key, %L)), 3) & %s',
                                    'UTF8', log_lanes - 1)
                        ELSE format('${schema}.lane_of(new.key, %s)', log_lanes) END;
  owner    text := (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = '${name}');
BEGIN
  EXECUTE format('CREATE SEQUENCE ${schema}.%I AS bigint CACHE 1 NO CYCLE', log_name || '_position');
  sequence := format('${schema}.%I', log_name || '_position');
  EXECUTE format($ddl$
    CREATE TABLE ${schema}.%1$I (
      position    bigint      NOT NULL CONSTRAINT %2$I PRIMARY KEY,
      recorded_at timestamptz NOT NULL,
      version     bigint      CHECK (version > 0),
      id          uuid        NOT NULL,
      lane        integer     NOT NULL,
      key         text        NOT NULL CONSTRAINT %6$I CHECK (octet_length(key) <= 1000),
      topic       text,
      type        text,
      headers     json,
      payload     json,
      data        bytea,
      CONSTRAINT %7$I CHECK (num_nonnulls(payload, data) = 1)
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
            autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000);
    CREATE INDEX %3$I ON ${schema}.%1$I (lane, position);
    CREATE UNIQUE INDEX %4$I ON ${schema}.%1$I (key, version) WHERE version IS NOT NULL;
    CREATE UNIQUE INDEX %5$I ON ${schema}.%1$I (id);
    $ddl$, log_name, log_name || '_pkey', log_name || '_lane', log_name || '_version', log_name || '_id',
    log_name || '_key_has_at_most_1000_bytes', log_name || '_has_either_payload_or_data');
  relation := format('${schema}.%I', log_name);

  -- The lane's lock first, then the position: see docs/frontier.md. CASE evaluates in this order. PL/pgSQL prepares every expression anew
  -- in each transaction, so there are as few as possible.
  EXECUTE format($ddl$
    CREATE FUNCTION ${schema}.%1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      nothing text;
    BEGIN
      IF new.id IS NULL THEN new.id := %2$s; END IF;
      IF new.key IS NULL THEN new.key := new.id::text; END IF;
      new.lane := %3$s;
      new.position := CASE WHEN pg_catalog.pg_advisory_xact_lock_shared(tg_relid::int, new.lane) IS NOT NULL
                           THEN pg_catalog.nextval(%4$L::pg_catalog.regclass) END;
      new.recorded_at := pg_catalog.clock_timestamp();
      IF NOT pg_catalog.pg_try_advisory_xact_lock_shared(tg_relid::int, -1) THEN
        IF pg_catalog.current_setting('baton.doorbell', true) IS DISTINCT FROM 'off' THEN
          nothing := pg_catalog.pg_notify('baton.' || tg_relid, '');
        END IF;
      END IF;
      RETURN new;
    END
    $body$;
    CREATE TRIGGER baton_append BEFORE INSERT ON ${schema}.%5$I
      FOR EACH ROW EXECUTE FUNCTION ${schema}.%1$I();
    CREATE TRIGGER baton_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.%5$I
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.log_refuse();
    ALTER TABLE ${schema}.%5$I ENABLE ALWAYS TRIGGER baton_append;
    ALTER TABLE ${schema}.%5$I ENABLE ALWAYS TRIGGER baton_refuse;
    $ddl$, log_name || '_append', new_id, lane, format('${schema}.%I', log_name || '_position'), log_name);

  -- Retention works with the rights of the schema's owner, whichever of its members made the log.
  IF owner <> current_user THEN
    EXECUTE format('ALTER TABLE %s OWNER TO %I', relation, owner);
    EXECUTE format('ALTER SEQUENCE %s OWNER TO %I', sequence, owner);
    EXECUTE format('ALTER FUNCTION ${schema}.%I() OWNER TO %I', log_name || '_append', owner);
  END IF;
  INSERT INTO ${schema}.log (name, relation, sequence, lanes, retention)
    VALUES (log_name, relation, sequence, log_lanes, log_retention);
  PERFORM ${schema}.grant_log(relation, sequence);
  RETURN relation;
END
$create$;

CREATE FUNCTION ${schema}.retain(log_relation regclass, upto bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.log;
  bound   bigint;
  n       bigint;
BEGIN
  SELECT l.* INTO present FROM ${schema}.log l WHERE l.relation = log_relation FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is not a log', log_relation;
  END IF;
  bound := least(upto, ${schema}.removable(present.name));
  IF bound <= present.retained_above THEN
    RETURN 0;
  END IF;
  PERFORM set_config('baton.door', 'DELETE ' || log_relation::oid || ' ' || pg_current_xact_id(), true);
  EXECUTE format('DELETE FROM %s WHERE position > $1 AND position <= $2', log_relation) USING present.retained_above, bound;
  GET DIAGNOSTICS n = ROW_COUNT;
  PERFORM set_config('baton.door', '', true);
  UPDATE ${schema}.log SET retained_above = bound WHERE relation = log_relation;
  RETURN n;
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.retain(regclass, bigint) FROM PUBLIC;

CREATE FUNCTION ${schema}.retain_aged(log_name text, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.log;
  upto    bigint;
BEGIN
  SELECT l.* INTO present FROM ${schema}.log l WHERE l.name = log_name;
  IF present.retention IS NULL THEN
    RETURN 0;
  END IF;
  EXECUTE format($sql$
    WITH chunk AS MATERIALIZED (
      SELECT position, recorded_at < $2 AS aged FROM %1$s WHERE position > $1 ORDER BY position
       LIMIT (SELECT CASE WHEN recorded_at < $2 THEN $3 ELSE 1 END FROM %1$s WHERE position > $1 ORDER BY position LIMIT 1))
    SELECT max(position) FROM chunk
     WHERE position < coalesce((SELECT min(position) FROM chunk WHERE NOT aged), 9223372036854775807)$sql$, present.relation)
    INTO upto USING present.retained_above, clock_timestamp() - present.retention, most;
  RETURN CASE WHEN upto IS NULL THEN 0 ELSE ${schema}.retain(present.relation, upto) END;
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.retain_aged(text, integer) FROM PUBLIC;

CREATE FUNCTION ${schema}.redact(log_relation regclass, row_position bigint, asked_by text, because text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  n bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM ${schema}.log WHERE relation = log_relation) THEN
    RAISE EXCEPTION '% is not a log', log_relation;
  END IF;
  PERFORM set_config('baton.door', 'UPDATE ' || log_relation::oid || ' ' || pg_current_xact_id(), true);
  EXECUTE format($sql$
    UPDATE %s SET payload = CASE WHEN payload IS NULL THEN NULL ELSE '{"redacted":true}'::json END,
                  data = CASE WHEN data IS NULL THEN NULL ELSE ''::bytea END, headers = NULL
     WHERE position = $1$sql$, log_relation) USING row_position;
  GET DIAGNOSTICS n = ROW_COUNT;
  PERFORM set_config('baton.door', '', true);
  IF n > 0 THEN
    INSERT INTO ${schema}.action (who, what, subject, reason, detail)
      VALUES (asked_by, 'redact', log_relation::text, because, 'position ' || row_position);
  END IF;
  RETURN n > 0;
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.redact(regclass, bigint, text, text) FROM PUBLIC;

CREATE FUNCTION ${schema}.lock_streams(log_relation regclass, keys text[], shared boolean[])
RETURNS TABLE (key text, version bigint)
LANGUAGE plpgsql AS $function$
DECLARE
  class integer := ${schema}.lock_class('${schema}.log'::regclass);
  one   record;
BEGIN
  FOR one IN
    SELECT h.number, bool_and(h.shared) AS shared
      FROM (SELECT ('x' || encode(substr(sha256(convert_to(log_relation::oid || ' ' || k.key, 'UTF8')), 1, 4), 'hex'))::bit(32)::integer
                     AS number, k.shared
              FROM unnest(keys, shared) AS k (key, shared)) h
     GROUP BY h.number ORDER BY h.number
  LOOP
    IF one.shared THEN
      PERFORM pg_advisory_xact_lock_shared(class, one.number);
    ELSE
      PERFORM pg_advisory_xact_lock(class, one.number);
    END IF;
  END LOOP;
  RETURN QUERY EXECUTE format($sql$
    SELECT k.key, (SELECT t.version FROM %s t WHERE t.key = k.key AND t.version IS NOT NULL ORDER BY t.version DESC LIMIT 1)
      FROM unnest($1) AS k (key)$sql$, log_relation) USING keys;
END
$function$;

SELECT ${schema}.create_log('events');
SELECT ${schema}.create_log('outbox');

INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (2, 'log', 1);


CREATE TABLE ${schema}.subscription (
  id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  target     text    NOT NULL DEFAULT '' CHECK (length(target) <= 200),
  log        text    NOT NULL REFERENCES ${schema}.log (name),
  ordering   text    NOT NULL CHECK (ordering IN ('key', 'total')),
  state      text    NOT NULL CHECK (state IN ('new', 'running', 'paused', 'stopped', 'retired')),
  live       boolean NOT NULL DEFAULT true,
  generation bigint  NOT NULL DEFAULT 1,     -- grows with every rewind
  note       text,                           -- why it stopped or was paused
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (name, target)
);
CREATE UNIQUE INDEX subscription_live ON ${schema}.subscription (name) WHERE live;

COMMENT ON TABLE ${schema}.subscription IS 'Baton: one row for each subscription (and each target of it).';

CREATE TABLE ${schema}.checkpoint (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription integer NOT NULL REFERENCES ${schema}.subscription (id),
  lane         integer NOT NULL,
  position     bigint  NOT NULL,
  epoch        bigint  NOT NULL DEFAULT 0,
  timeline     text    NOT NULL DEFAULT 'none',
  owner        text,
  owned_since  timestamptz,
  advanced_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (subscription, lane)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE ${schema}.checkpoint IS 'Baton: position and epoch of every lane of every subscription.';

CREATE TABLE ${schema}.member (
  number       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription integer NOT NULL REFERENCES ${schema}.subscription (id) ON DELETE CASCADE,
  who          text    NOT NULL,
  joined_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE ${schema}.member IS 'Baton: who takes part in which subscription; alive while the lock (member, number) is held.';

CREATE TABLE ${schema}.parked (
  id              bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription    integer NOT NULL REFERENCES ${schema}.subscription (id),
  checkpoint      integer NOT NULL REFERENCES ${schema}.checkpoint (id),
  key             text    NOT NULL,
  state           text    NOT NULL CHECK (state IN ('retrying', 'slow', 'parked')),
  attempts        integer NOT NULL,
  error           text,
  since           timestamptz NOT NULL DEFAULT clock_timestamp(),
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (subscription, key)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX parked_checkpoint ON ${schema}.parked (checkpoint);

COMMENT ON TABLE ${schema}.parked IS 'Baton: keys that wait, and why.';

CREATE TABLE ${schema}.parked_message (
  parked   bigint NOT NULL REFERENCES ${schema}.parked (id),
  position bigint NOT NULL,
  log      text   NOT NULL,
  PRIMARY KEY (parked, position)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX parked_message_log ON ${schema}.parked_message (log, position);

COMMENT ON TABLE ${schema}.parked_message IS 'Baton: the messages of parked keys that were passed over, in order.';

CREATE FUNCTION ${schema}.look(logs oid[], sequences oid[], ring oid[],
  OUT bells boolean[], OUT ends bigint[], OUT actions bigint, OUT here text,
  OUT writer_logs bigint[], OUT writer_lanes integer[], OUT writers text[],
  OUT members integer[], OUT lanes integer[])
LANGUAGE plpgsql AS $function$
DECLARE
  member_class     oid := '${schema}.member'::regclass;
  checkpoint_class oid := '${schema}.checkpoint'::regclass;
BEGIN
  here := ${schema}.timeline();
  FOR i IN 1 .. cardinality(ring) LOOP
    bells[i] := pg_try_advisory_lock(ring[i]::integer, -1);
  END LOOP;
  FOR i IN 1 .. cardinality(logs) LOOP
    ends[i] := coalesce(pg_sequence_last_value(sequences[i]), 0);
  END LOOP;
  -- Changes when an action is committed, in whichever order; the sequence would be ahead of what can be read.
  SELECT coalesce(sum(a.id), 0) INTO actions FROM (SELECT id FROM ${schema}.action ORDER BY id DESC LIMIT 20) a;
  SELECT array_agg(l.classid::bigint) FILTER (WHERE l.writer),
         array_agg(l.objid::bigint::integer) FILTER (WHERE l.writer),
         array_agg(l.virtualtransaction) FILTER (WHERE l.writer),
         array_agg(l.objid::bigint::integer) FILTER (WHERE l.classid = member_class),
         array_agg(l.objid::bigint::integer) FILTER (WHERE l.classid = checkpoint_class)
    INTO writer_logs, writer_lanes, writers, members, lanes
    FROM (SELECT classid, objid, virtualtransaction,
                 mode = 'ShareLock' AND objid < 1000000 AND classid = ANY (logs) AS writer
            FROM pg_locks
           WHERE locktype = 'advisory' AND objsubid = 2 AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) l;
END
$function$;

CREATE FUNCTION ${schema}.join_subscription(subscription_id integer, my_name text, alone boolean) RETURNS integer
LANGUAGE plpgsql AS $function$
DECLARE
  class     integer := ${schema}.lock_class('${schema}.member'::regclass);
  my_number integer;
  others    integer;
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.lock_class('${schema}.subscription'::regclass), subscription_id);
  -- Who is visible here had its lock before; not by trying it, since a session's own lock would let it.
  DELETE FROM ${schema}.member m
   WHERE m.subscription = subscription_id
     AND NOT EXISTS (SELECT FROM pg_locks k
                      WHERE k.locktype = 'advisory' AND k.objsubid = 2 AND k.granted
                        AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND k.classid = '${schema}.member'::regclass AND k.objid = m.number::bigint::oid);
  SELECT count(*) INTO others FROM ${schema}.member m WHERE m.subscription = subscription_id;
  IF alone AND others > 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO ${schema}.member (subscription, who)
    SELECT s.id, my_name FROM ${schema}.subscription s WHERE s.id = subscription_id FOR KEY SHARE
    RETURNING number INTO my_number;
  IF my_number IS NULL THEN
    RETURN -1;
  END IF;
  PERFORM pg_advisory_lock(class, my_number);
  RETURN my_number;
END
$function$;

CREATE FUNCTION ${schema}.leave_subscription(my_number integer) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
  DELETE FROM ${schema}.member WHERE number = my_number;
  PERFORM pg_advisory_unlock(${schema}.lock_class('${schema}.member'::regclass), my_number);
END
$function$;

CREATE FUNCTION ${schema}.take_lane(checkpoint_id integer, new_owner text, slice_ms integer)
RETURNS TABLE (epoch bigint, reached bigint, timeline text)
LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  here text := ${schema}.timeline();
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  RETURN QUERY
    UPDATE ${schema}.checkpoint c
       SET epoch = CASE WHEN c.timeline IN (here, 'none') THEN c.epoch + 1 ELSE ((c.epoch >> 32) + 1) << 32 END,
           timeline = here, owner = new_owner, owned_since = clock_timestamp()
     WHERE c.id = checkpoint_id
    RETURNING c.epoch, c.position, c.timeline;
  IF NOT FOUND THEN
    RETURN QUERY SELECT -1::bigint, 0::bigint, here;  -- deleted
  END IF;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN;
END
$function$;

CREATE FUNCTION ${schema}.begin_work(limit_ms integer, token text, OUT isolation text, OUT here text)
LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM set_config('idle_in_transaction_session_timeout', limit_ms::text, true);
  PERFORM set_config('baton.work', token, true);
  isolation := current_setting('transaction_isolation');
  here := ${schema}.timeline();
END
$function$;

CREATE FUNCTION ${schema}.begin_read(OUT here text)
LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true);
  here := ${schema}.timeline();
END
$function$;

CREATE FUNCTION ${schema}.close_work(token text, lease_ms integer, here text, sequence oid,
  checkpoints integer[], epochs bigint[], olds bigint[], news bigint[]) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  i integer;
BEGIN
  IF current_setting('baton.work', true) IS DISTINCT FROM token THEN
    RAISE EXCEPTION USING ERRCODE = 'YB003',
      MESSAGE = 'the handler ended the transaction it was given',
      HINT = 'A handler neither commits nor rolls back: its writes and the checkpoint commit together.';
  END IF;
  PERFORM set_config('idle_in_transaction_session_timeout', lease_ms::text, true);
  FOR i IN SELECT n FROM generate_subscripts(checkpoints, 1) n ORDER BY checkpoints[n] LOOP
    UPDATE ${schema}.checkpoint c
       SET position = news[i],
           advanced_at = CASE WHEN news[i] > olds[i] THEN clock_timestamp() ELSE c.advanced_at END
     WHERE c.id = checkpoints[i] AND c.epoch = epochs[i] AND c.position = olds[i];
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'YB001',
        MESSAGE = format('epoch %s of checkpoint %s is over, or it is not at position %s any more',
                         epochs[i], checkpoints[i], olds[i]);
    END IF;
  END LOOP;
  IF here <> ${schema}.timeline()
      OR EXISTS (SELECT FROM unnest(news) AS n WHERE n > coalesce(pg_sequence_last_value(sequence), 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'YB001', MESSAGE = 'the database has been promoted or restored since';
  END IF;
END
$function$;

CREATE FUNCTION ${schema}.fence_work(token text, lease_ms integer, here text, checkpoint_id integer, my_epoch bigint) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
  IF current_setting('baton.work', true) IS DISTINCT FROM token THEN
    RAISE EXCEPTION USING ERRCODE = 'YB003',
      MESSAGE = 'the handler ended the transaction it was given',
      HINT = 'A handler neither commits nor rolls back: its writes and the checkpoint commit together.';
  END IF;
  PERFORM set_config('idle_in_transaction_session_timeout', lease_ms::text, true);
  PERFORM FROM ${schema}.checkpoint c WHERE c.id = checkpoint_id AND c.epoch = my_epoch FOR NO KEY UPDATE;
  IF NOT FOUND OR here <> ${schema}.timeline() THEN
    RAISE EXCEPTION USING ERRCODE = 'YB001', MESSAGE = format('epoch %s of checkpoint %s is over', my_epoch, checkpoint_id);
  END IF;
END
$function$;

CREATE FUNCTION ${schema}.park(subscription_id integer, checkpoints integer[], keys text[], states text[], failures text[],
  waits_ms bigint[]) RETURNS void
LANGUAGE sql AS $function$
  INSERT INTO ${schema}.parked (subscription, checkpoint, key, state, attempts, error, next_attempt_at)
  SELECT subscription_id, p.checkpoint, p.key, p.state, CASE WHEN p.state = 'slow' THEN 0 ELSE 1 END, p.failure,
         clock_timestamp() + p.wait_ms * interval '1 ms'
    FROM unnest(checkpoints, keys, states, failures, waits_ms) AS p (checkpoint, key, state, failure, wait_ms)
$function$;

CREATE FUNCTION ${schema}.pass_over(subscription_id integer, log_name text, keys text[], positions bigint[]) RETURNS integer
LANGUAGE plpgsql AS $function$
DECLARE
  n integer;
BEGIN
  INSERT INTO ${schema}.parked_message (parked, position, log)
  SELECT p.id, m.position, log_name
    FROM unnest(keys, positions) AS m (key, position)
    JOIN ${schema}.parked p ON p.subscription = subscription_id AND p.key = m.key;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$function$;

CREATE FUNCTION ${schema}.removable(log_name text) RETURNS bigint
LANGUAGE sql AS $function$
  SELECT least(
    (SELECT min(c.position) FROM ${schema}.checkpoint c JOIN ${schema}.subscription s ON s.id = c.subscription
      WHERE s.log = log_name AND s.state <> 'retired'),
    (SELECT min(m.position) - 1 FROM ${schema}.parked_message m
       JOIN ${schema}.parked p ON p.id = m.parked JOIN ${schema}.subscription s ON s.id = p.subscription
      WHERE m.log = log_name AND s.state <> 'retired'),
    (SELECT coalesce(pg_sequence_last_value(l.sequence), 0) FROM ${schema}.log l WHERE l.name = log_name))
$function$;

CREATE FUNCTION ${schema}.pin_log(log_name text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  SELECT l.retained_above FROM ${schema}.log l WHERE l.name = log_name FOR SHARE
$function$;
REVOKE ALL ON FUNCTION ${schema}.pin_log(text) FROM PUBLIC;

CREATE VIEW ${schema}.log_writers AS
SELECT l.name AS log, k.objid::bigint::integer AS lane, k.pid, k.virtualtransaction,
       a.application_name, a.usename, a.client_addr, a.state, a.xact_start, clock_timestamp() - a.xact_start AS age
  FROM pg_locks k
  JOIN ${schema}.log l ON l.relation::oid = k.classid
  LEFT JOIN pg_stat_activity a ON a.pid = k.pid
 WHERE k.locktype = 'advisory' AND k.objsubid = 2 AND k.granted AND k.mode = 'ShareLock' AND k.objid < 1000000
   AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database());

COMMENT ON VIEW ${schema}.log_writers IS 'Baton: open transactions that wrote to a log, with the lane that waits for them.';

CREATE FUNCTION ${schema}.waiting_since(log_relation regclass, for_lane integer, above bigint) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  since timestamptz;
BEGIN
  IF for_lane < 0 THEN
    EXECUTE format('SELECT recorded_at FROM %s WHERE position > $1 ORDER BY position LIMIT 1', log_relation)
      INTO since USING above;
  ELSE
    EXECUTE format('SELECT recorded_at FROM %s WHERE lane = $1 AND position > $2 ORDER BY lane, position LIMIT 1', log_relation)
      INTO since USING for_lane, above;
  END IF;
  RETURN since;
END
$function$;

CREATE VIEW ${schema}.lane_status AS
WITH locks AS (
  SELECT classid, objid, pid
    FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND objsubid = 2
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT s.name, s.target, s.log, c.lane, c.position, c.epoch,
       CASE WHEN k.pid IS NOT NULL THEN c.owner END AS owner,
       CASE WHEN k.pid IS NOT NULL THEN c.owned_since END AS owned_since,
       c.advanced_at,
       ${schema}.waiting_since(l.relation, c.lane, c.position) AS waiting_since,
       (SELECT string_agg(DISTINCT coalesce(nullif(w.application_name, ''), 'a transaction') || ' (process '
                          || coalesce(w.pid::text, 'none: prepared') || ', open for '
                          || coalesce(date_trunc('second', w.age)::text, 'an unknown time') || ')', ', ')
          FROM ${schema}.log_writers w WHERE w.log = s.log AND (w.lane = c.lane OR c.lane < 0)) AS held_back_by,
       c.subscription, c.id AS checkpoint
  FROM ${schema}.checkpoint c
  JOIN ${schema}.subscription s ON s.id = c.subscription
  JOIN ${schema}.log l ON l.name = s.log
  LEFT JOIN locks k ON k.classid = '${schema}.checkpoint'::regclass AND k.objid = c.id::bigint::oid;

COMMENT ON VIEW ${schema}.lane_status IS 'Baton: who owns each lane of each subscription, how far it is, what it waits for.';

CREATE VIEW ${schema}.subscription_status AS
WITH lanes AS (
  SELECT subscription, count(*)::integer AS lanes, count(owner)::integer AS owned, min(position) AS position,
         max(epoch) AS epoch, min(waiting_since) AS waiting_since,
         string_agg(DISTINCT held_back_by, ', ') AS held_back_by
    FROM ${schema}.lane_status GROUP BY subscription
), members AS (
  SELECT m.subscription, count(*)::integer AS members, array_agg(m.who ORDER BY m.number) AS names
    FROM ${schema}.member m
    JOIN pg_locks k ON k.locktype = 'advisory' AND k.granted AND k.objsubid = 2
      AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND k.classid = '${schema}.member'::regclass AND k.objid = m.number::bigint::oid
   GROUP BY m.subscription
), waiting AS (
  SELECT p.subscription, count(*) FILTER (WHERE p.state = 'parked')::integer AS parked,
         count(*) FILTER (WHERE p.state <> 'parked')::integer AS set_aside
    FROM ${schema}.parked p GROUP BY p.subscription
)
SELECT s.name, s.target, s.live, s.log, s.ordering, s.state, s.note,
       n.lanes, n.owned AS lanes_owned, coalesce(m.members, 0) AS members, m.names AS member_names,
       n.position,
       greatest(0, coalesce(pg_sequence_last_value(l.sequence), 0) - n.position)
         * (n.waiting_since IS NOT NULL)::integer AS lag_positions,
       n.waiting_since,
       greatest(interval '0', clock_timestamp() - n.waiting_since) AS lag,
       coalesce(w.parked, 0) AS parked_keys, coalesce(w.set_aside, 0) AS set_aside_keys,
       n.held_back_by, n.epoch, s.generation, s.created_at, s.id
  FROM ${schema}.subscription s
  JOIN ${schema}.log l ON l.name = s.log
  JOIN lanes n ON n.subscription = s.id
  LEFT JOIN members m ON m.subscription = s.id
  LEFT JOIN waiting w ON w.subscription = s.id;

COMMENT ON VIEW ${schema}.subscription_status IS
  'Baton: every subscription: state, members, lanes, lag in positions and time, parked keys, whom it waits for.';

INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (3, 'subscription', 1);


CREATE FUNCTION ${schema}.lock_briefly(relation regclass, mode text, patience interval DEFAULT '1 min') RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  before text := current_setting('lock_timeout');
  give_up timestamptz := clock_timestamp() + patience;
  holders text;
BEGIN
  LOOP
    BEGIN
      PERFORM set_config('lock_timeout', '100ms', true);
      EXECUTE format('LOCK TABLE %s IN %s MODE', relation, mode);
      PERFORM set_config('lock_timeout', before, true);
      RETURN;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      NULL;
    END;
    IF clock_timestamp() > give_up THEN
      SELECT string_agg(DISTINCT coalesce(nullif(a.application_name, ''), nullif(a.backend_type, 'client backend'), 'a transaction')
                        || coalesce(' (process ' || k.pid || ', open for ' || date_trunc('second', clock_timestamp() - a.xact_start) || ')',
                                    ' (prepared)'), ', ')
        INTO holders
        FROM pg_locks k LEFT JOIN pg_stat_activity a ON a.pid = k.pid
       WHERE k.locktype = 'relation' AND k.relation = lock_briefly.relation AND k.granted
         AND k.pid IS DISTINCT FROM pg_backend_pid() AND (k.mode NOT IN ('AccessShareLock', 'RowShareLock') OR lock_briefly.mode = 'ACCESS EXCLUSIVE');
      RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
        MESSAGE = format('%s is in use: %s', relation, coalesce(holders, 'somebody comes and goes all the time')),
        HINT = 'Nothing was changed. Wait until it has ended, or end it, and try again.';
    END IF;
    PERFORM pg_sleep(0.2 + 0.2 * random());
  END LOOP;
END
$function$;

SELECT ${schema}.lock_briefly('${schema}.log', 'ACCESS EXCLUSIVE');
ALTER TABLE ${schema}.log ADD COLUMN payload_limit integer CHECK (payload_limit BETWEEN 1 AND 100000000);
COMMENT ON COLUMN ${schema}.log.payload_limit IS
  'Of an outbox: the largest payload in bytes. Null: not an outbox, anything may be written.';

CREATE FUNCTION ${schema}.message_fault(log_name text, payload_limit integer, topic text, key text, headers json, payload json, data bytea)
RETURNS text
LANGUAGE sql IMMUTABLE AS $function$
  SELECT CASE
    WHEN topic IS NULL OR topic = '' THEN
      'the message has no topic: say where it goes, in 1 to 249 visible ASCII characters'
    WHEN length(topic) > 249 THEN
      format('the topic ''%s…'' has %s characters: give 1 to 249', left(topic, 40), length(topic))
    WHEN topic ~ '[^!-~]' THEN
      format('the topic %s has a blank, a control character or one that is not ASCII: brokers refuse it',
             quote_literal(regexp_replace(topic, '[^ -~]', '?', 'g')))
    WHEN octet_length(key) > 1000 THEN
      format('the key ''%s…'' has %s bytes: give at most 1000', left(key, 40), octet_length(key))
    WHEN greatest(octet_length(payload::text), octet_length(data)) > payload_limit THEN
      format('the payload has %s bytes, and log %s takes %s: send a reference to it, or raise the limit with ''baton logs limit''',
             greatest(octet_length(payload::text), octet_length(data)), quote_literal(log_name), payload_limit)
    WHEN octet_length(headers::text) > 16384 THEN
      format('the headers have %s bytes: give at most 16384', octet_length(headers::text))
    WHEN regexp_replace(headers::text, $re$"([^"\\]|\\.)*"$re$, '', 'g') !~ '^[[:space:]]*[{][^[{]*[}][[:space:]]*$' THEN
      'the headers are not a JSON object of texts, numbers, booleans and nulls'
  END
$function$;

CREATE FUNCTION ${schema}.refuse_message() RETURNS trigger
LANGUAGE plpgsql AS $function$
DECLARE
  fault text := ${schema}.message_fault(tg_table_name, tg_argv[0]::integer, new.topic, new.key, new.headers, new.payload, new.data);
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = fault;
  END IF;
  RETURN new;
END
$function$;

CREATE FUNCTION ${schema}.make_outbox(log_name text, new_limit integer DEFAULT 1000000) RETURNS void
LANGUAGE plpgsql AS $make$
DECLARE
  relation regclass := (SELECT l.relation FROM ${schema}.log l WHERE l.name = log_name);
BEGIN
  IF relation IS NULL THEN
    RAISE EXCEPTION 'there is no log %', quote_literal(log_name);
  END IF;
  PERFORM ${schema}.lock_briefly(relation, 'SHARE ROW EXCLUSIVE');
  EXECUTE format($ddl$
    CREATE OR REPLACE TRIGGER baton_admit BEFORE INSERT ON %1$s FOR EACH ROW
      WHEN ((new.topic ~ '^[!-~]{1,249}$') IS NOT TRUE
         OR octet_length(new.payload::text) > %2$s OR octet_length(new.data) > %2$s
         OR (new.headers IS NOT NULL AND (octet_length(new.headers::text) > 16384
             OR regexp_replace(new.headers::text, $re$"([^"\\]|\\.)*"$re$, '', 'g') !~ '^[[:space:]]*[{][^[{]*[}][[:space:]]*$')))
      EXECUTE FUNCTION ${schema}.refuse_message(%2$s);
    ALTER TABLE %1$s ENABLE ALWAYS TRIGGER baton_admit;
    $ddl$, relation, new_limit);
  UPDATE ${schema}.log SET payload_limit = new_limit WHERE name = log_name;
END
$make$;

SELECT ${schema}.make_outbox('outbox');

CREATE TABLE ${schema}.inbox (
  inbox       text NOT NULL,
  id          uuid NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000);
CREATE INDEX inbox_age ON ${schema}.inbox (inbox, received_at);

COMMENT ON TABLE ${schema}.inbox IS 'Baton: the ids of messages that a receiver has had.';

CREATE TABLE ${schema}.inbox_epoch (
  inbox text   NOT NULL,
  key   text   NOT NULL,
  epoch bigint NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX inbox_epoch_age ON ${schema}.inbox_epoch (inbox, since);

COMMENT ON TABLE ${schema}.inbox_epoch IS 'Baton: the highest epoch that a receiver has seen of each key.';

CREATE FUNCTION ${schema}.first_time(receiver text, message uuid, message_key text DEFAULT NULL, message_epoch bigint DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql AS $function$
DECLARE
  latest bigint;
BEGIN
  IF message_epoch IS NOT NULL THEN
    INSERT INTO ${schema}.inbox_epoch AS e (inbox, key, epoch) VALUES (receiver, message_key, message_epoch)
      ON CONFLICT (inbox, key) DO UPDATE SET epoch = excluded.epoch, since = excluded.since WHERE e.epoch < excluded.epoch;
    IF NOT FOUND THEN  -- the row is locked by now, and stays as it is
      SELECT e.epoch INTO latest FROM ${schema}.inbox_epoch e WHERE e.inbox = receiver AND e.key = message_key;
      IF latest > message_epoch THEN
        IF EXISTS (SELECT FROM ${schema}.inbox i WHERE i.inbox = receiver AND i.id = message) THEN
          RETURN false;
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'YB004',
          MESSAGE = format('message %s of key %s came with epoch %s, and inbox %s has seen epoch %s of that key: its sender is out of date',
                           message, quote_literal(left(message_key, 60)), message_epoch, quote_literal(receiver), latest),
          HINT = 'Roll back and answer with an error. Who owns the key now sends the message again.';
      END IF;
    END IF;
  END IF;
  INSERT INTO ${schema}.inbox (inbox, id) VALUES (receiver, message) ON CONFLICT DO NOTHING;
  RETURN FOUND;
END
$function$;

CREATE FUNCTION ${schema}.forget_received(receiver text, older_than interval, most integer) RETURNS integer
LANGUAGE plpgsql AS $function$
DECLARE
  n integer;
  m integer;
BEGIN
  DELETE FROM ${schema}.inbox i
   WHERE i.inbox = receiver
     AND i.id = ANY (ARRAY(SELECT o.id FROM ${schema}.inbox o
                            WHERE o.inbox = receiver AND o.received_at < clock_timestamp() - older_than
                            ORDER BY o.received_at LIMIT most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS n = ROW_COUNT;
  DELETE FROM ${schema}.inbox_epoch e
   WHERE e.inbox = receiver
     AND e.key = ANY (ARRAY(SELECT o.key FROM ${schema}.inbox_epoch o
                             WHERE o.inbox = receiver AND o.since < clock_timestamp() - older_than
                             ORDER BY o.since LIMIT most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS m = ROW_COUNT;
  RETURN n + m;
END
$function$;

CREATE TABLE ${schema}.adoption (
  relation       regclass PRIMARY KEY,
  log            text   NOT NULL REFERENCES ${schema}.log (name),
  state          text   NOT NULL CHECK (state IN ('draining', 'adopted', 'returning')),
  id_column      text   NOT NULL,
  key_column     text,             -- null: unordered
  topic_column   text,
  fixed_topic    text,
  type_column    text,
  headers_column text,
  payload_column text   NOT NULL,
  status_column  text   NOT NULL,
  pending        text[] NOT NULL CHECK (cardinality(pending) > 0),
  taken          text   NOT NULL CHECK (taken <> ALL (pending)),
  upto           bigint,           -- while returning: what the relays must have sent
  since          timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (num_nonnulls(topic_column, fixed_topic) = 1)
);

COMMENT ON TABLE ${schema}.adoption IS 'Baton: tables with a status column whose new rows go into a log.';

CREATE TABLE ${schema}.adoption_waiting (
  n         bigint GENERATED ALWAYS AS IDENTITY,
  relation  oid    NOT NULL,
  source_id text   NOT NULL,
  id        uuid,
  topic     text,
  key       text,
  type      text,
  headers   json,
  payload   json,
  data      bytea,
  PRIMARY KEY (relation, n)
);

COMMENT ON TABLE ${schema}.adoption_waiting IS 'Baton: rows of adopted tables that wait until the other relay is done.';

CREATE FUNCTION ${schema}.json_or_null(content text) RETURNS json
LANGUAGE plpgsql IMMUTABLE AS $function$
BEGIN
  RETURN content::json;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$function$;

CREATE FUNCTION ${schema}.column_type(relation regclass, column_name text) RETURNS text
LANGUAGE sql STABLE AS $function$
  SELECT format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL)
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
   WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped
$function$;

CREATE FUNCTION ${schema}.adoption_message(a ${schema}.adoption, row_name text) RETURNS text
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  table_name text := (SELECT format('%I.%I', n.nspname, c.relname)
                        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = a.relation);
  id      text := format('%s.%I', row_name, a.id_column);
  payload text := format('%s.%I', row_name, a.payload_column);
BEGIN
  RETURN format('SELECT %s AS id, %s AS topic, %s AS key, %s AS type, %s AS headers, b.payload AS payload, %s AS data FROM (SELECT %s AS payload) b',
    CASE ${schema}.column_type(a.relation, a.id_column)
      WHEN 'uuid' THEN id
      ELSE format('CASE WHEN %1$s::text ~* %2$L THEN %1$s::text ELSE substr(encode(sha256(convert_to(%3$L || %1$s::text, %4$L)), %5$L), 1, 32) END::uuid',
                  id, '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', table_name || '/', 'UTF8', 'hex') END,
    CASE WHEN a.topic_column IS NULL THEN format('%L::text', a.fixed_topic) ELSE format('%s.%I::text', row_name, a.topic_column) END,
    CASE WHEN a.key_column IS NULL THEN 'NULL::text' ELSE format('%s.%I::text', row_name, a.key_column) END,
    CASE WHEN a.type_column IS NULL THEN 'NULL::text' ELSE format('%s.%I::text', row_name, a.type_column) END,
    CASE WHEN a.headers_column IS NULL THEN 'NULL::json' ELSE format('%s.%I::text::json', row_name, a.headers_column) END,
    CASE ${schema}.column_type(a.relation, a.payload_column)
      WHEN 'bytea' THEN format('coalesce(%s, ''''::bytea)', payload)
      WHEN 'json' THEN 'NULL::bytea'
      WHEN 'jsonb' THEN 'NULL::bytea'
      ELSE format('CASE WHEN b.payload IS NULL THEN convert_to(coalesce(%s::text, ''''), ''UTF8'') END', payload) END,
    CASE ${schema}.column_type(a.relation, a.payload_column)
      WHEN 'bytea' THEN 'NULL::json'
      WHEN 'json' THEN format('coalesce(%s, ''null''::json)', payload)
      WHEN 'jsonb' THEN format('coalesce(%s::text, ''null'')::json', payload)
      ELSE format('${schema}.json_or_null(%s::text)', payload) END);
END
$function$;

CREATE FUNCTION ${schema}.drop_adoption_triggers(a ${schema}.adoption) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
  EXECUTE format('DROP TRIGGER IF EXISTS zz_baton_take ON %1$s; DROP TRIGGER IF EXISTS zz_baton_keep ON %1$s;
                  DROP TRIGGER IF EXISTS zz_baton_hand_on ON %1$s', a.relation);
  EXECUTE format('DROP FUNCTION IF EXISTS ${schema}.%I(), ${schema}.%I()',
                 'adopted_' || a.relation::oid || '_take', 'adopted_' || a.relation::oid || '_hand_on');
END
$function$;

CREATE FUNCTION ${schema}.make_adoption_triggers(a ${schema}.adoption) RETURNS void
LANGUAGE plpgsql AS $make$
DECLARE
  take    text := 'adopted_' || a.relation::oid || '_take';
  hand_on text := 'adopted_' || a.relation::oid || '_hand_on';
  message text := ${schema}.adoption_message(a, 'new');
  is_pending text := (SELECT string_agg(format('%L', p), ', ') FROM unnest(a.pending) p);
  owner   text := (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = '${name}');
BEGIN
  PERFORM ${schema}.drop_adoption_triggers(a);
  EXECUTE format($ddl$
    CREATE FUNCTION ${schema}.%1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      new.%2$I := %3$L;
      RETURN new;
    END
    $body$;
    CREATE TRIGGER zz_baton_take BEFORE INSERT ON %4$s FOR EACH ROW
      WHEN (new.%2$I IN (%5$s)) EXECUTE FUNCTION ${schema}.%1$I();
    CREATE TRIGGER zz_baton_keep BEFORE UPDATE OF %2$I ON %4$s FOR EACH ROW
      WHEN (old.%2$I = %3$L AND new.%2$I IN (%5$s)) EXECUTE FUNCTION ${schema}.%1$I();
    $ddl$, take, a.status_column, a.taken, a.relation, is_pending);
  EXECUTE format($ddl$
    CREATE FUNCTION ${schema}.%1$I() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    DECLARE
      m record;
      fault text;
    BEGIN
      %2$s
      RETURN NULL;
    END
    $body$
    $ddl$, hand_on,
    CASE a.state
      WHEN 'draining' THEN format($steps$
        %1$s INTO m;
        fault := ${schema}.message_fault(%2$L, (SELECT payload_limit FROM ${schema}.log WHERE name = %2$L),
                                         m.topic, m.key, m.headers, m.payload, m.data);
        IF fault IS NOT NULL THEN
          RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = fault;
        END IF;
        INSERT INTO ${schema}.adoption_waiting (relation, source_id, id, topic, key, type, headers, payload, data)
          VALUES (%3$s, new.%4$I::text, m.id, m.topic, m.key, m.type, m.headers, m.payload, m.data);$steps$,
        message, a.log, a.relation::oid, a.id_column)
      WHEN 'adopted' THEN format('INSERT INTO ${schema}.%I (id, topic, key, type, headers, payload, data) %s ON CONFLICT (id) DO NOTHING;',
        a.log, message)
      ELSE format('INSERT INTO ${schema}.adoption_waiting (relation, source_id) VALUES (%s, new.%I::text);', a.relation::oid, a.id_column)
    END);
  EXECUTE format('CREATE TRIGGER zz_baton_hand_on AFTER INSERT ON %s FOR EACH ROW WHEN (new.%I = %L) EXECUTE FUNCTION ${schema}.%I()',
                 a.relation, a.status_column, a.taken, hand_on);
  -- Triggers work without it; nobody else is to put it on a table of his own.
  EXECUTE format('REVOKE ALL ON FUNCTION ${schema}.%I() FROM PUBLIC', hand_on);
  IF owner <> current_user THEN
    EXECUTE format('ALTER FUNCTION ${schema}.%1$I() OWNER TO %3$I; ALTER FUNCTION ${schema}.%2$I() OWNER TO %3$I', take, hand_on, owner);
  END IF;
END
$make$;

CREATE FUNCTION ${schema}.record_adoption(a ${schema}.adoption, asked_by text, step text, because text, detail text) RETURNS void
LANGUAGE sql AS $function$
  INSERT INTO ${schema}.action (who, what, subject, reason, detail)
    VALUES (asked_by, step, 'table ' || a.relation::text || ', log ' || a.log, because, detail)
$function$;

CREATE FUNCTION ${schema}.adoption_pending(a ${schema}.adoption) RETURNS bigint
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  n bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM %s WHERE %I IN (%s)', a.relation, a.status_column,
                 (SELECT string_agg(format('%L', p), ', ') FROM unnest(a.pending) p)) INTO n;
  RETURN n;
END
$function$;

CREATE FUNCTION ${schema}.adoption_unsent(a ${schema}.adoption) RETURNS bigint
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  n bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM ${schema}.subscription s WHERE s.log = a.log AND s.live) THEN
    RETURN NULL;
  END IF;
  EXECUTE format($sql$
    SELECT count(*) FROM (
      SELECT m.position
        FROM (SELECT c.lane, c.position, count(*) OVER (PARTITION BY s.id) AS checkpoints
                FROM ${schema}.subscription s JOIN ${schema}.checkpoint c ON c.subscription = s.id
               WHERE s.log = $1 AND s.live) c
        JOIN ${schema}.%I m ON (c.lane < 0 OR m.lane %% c.checkpoints = c.lane) AND m.position > c.position AND m.position <= $2
       UNION
      SELECT w.position FROM ${schema}.parked_message w JOIN ${schema}.parked p ON p.id = w.parked
        JOIN ${schema}.subscription s ON s.id = p.subscription
       WHERE w.log = $1 AND s.live AND w.position <= $2) unsent$sql$, a.log) INTO n USING a.log, a.upto;
  RETURN n;
END
$function$;

CREATE FUNCTION ${schema}.check_adoption(a ${schema}.adoption, OUT looked_at bigint, OUT refused bigint, OUT example text, OUT fault text)
LANGUAGE plpgsql AS $function$
DECLARE
  most real := 200000;
  size real := (SELECT c.reltuples FROM pg_class c WHERE c.oid = a.relation);
BEGIN
  EXECUTE format($sql$
    SELECT count(*), count(r.fault), min(r.id) FILTER (WHERE r.fault IS NOT NULL), min(r.fault)
      FROM (SELECT t.%1$I::text AS id,
                   ${schema}.message_fault($1, (SELECT payload_limit FROM ${schema}.log WHERE name = $1),
                                           m.topic, m.key, m.headers, m.payload, m.data) AS fault
              FROM %2$s t %3$s CROSS JOIN LATERAL (%4$s) m) r$sql$,
    a.id_column, a.relation, CASE WHEN size > most THEN format('TABLESAMPLE SYSTEM (%s)', 100 * most / size) ELSE '' END,
    ${schema}.adoption_message(a, 't')) INTO looked_at, refused, example, fault USING a.log;
  IF refused > 0 THEN
    EXECUTE format($sql$
      SELECT ${schema}.message_fault($1, (SELECT payload_limit FROM ${schema}.log WHERE name = $1),
                                     m.topic, m.key, m.headers, m.payload, m.data)
        FROM %2$s t CROSS JOIN LATERAL (%3$s) m WHERE t.%1$I::text = $2 LIMIT 1$sql$,
      a.id_column, a.relation, ${schema}.adoption_message(a, 't')) INTO fault USING a.log, example;
  END IF;
END
$function$;

CREATE FUNCTION ${schema}.status_fault(a ${schema}.adoption) RETURNS text
LANGUAGE plpgsql AS $function$
DECLARE
  one text;
BEGIN
  EXECUTE format('CREATE TEMPORARY TABLE baton_adoption_probe (LIKE %s INCLUDING CONSTRAINTS)', a.relation);
  FOR one IN SELECT attname FROM pg_attribute WHERE attrelid = a.relation AND attnum > 0 AND NOT attisdropped AND attnotnull LOOP
    EXECUTE format('ALTER TABLE baton_adoption_probe ALTER COLUMN %I DROP NOT NULL', one);
  END LOOP;
  FOREACH one IN ARRAY a.pending || a.taken LOOP
    EXECUTE format('INSERT INTO baton_adoption_probe (%I) VALUES (%L)', a.status_column, one);
  END LOOP;
  RAISE EXCEPTION USING ERRCODE = 'YB000';
EXCEPTION
  WHEN SQLSTATE 'YB000' OR insufficient_privilege THEN
    RETURN NULL;
  WHEN integrity_constraint_violation OR data_exception THEN
    RETURN format('%s refuses %s: %s', a.status_column, quote_literal(one), sqlerrm);
END
$function$;

CREATE FUNCTION ${schema}.begin_adoption(a ${schema}.adoption, asked_by text, because text) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
  PERFORM ${schema}.lock_briefly(a.relation, 'SHARE ROW EXCLUSIVE');
  a.state := 'draining';
  a.since := clock_timestamp();
  INSERT INTO ${schema}.adoption SELECT (a).*;
  PERFORM ${schema}.make_adoption_triggers(a);
  PERFORM ${schema}.record_adoption(a, asked_by, 'adopt', because, ${schema}.adoption_pending(a) || ' rows left to the old relay');
END
$function$;

CREATE FUNCTION ${schema}.finish_adoption(adopted regclass, asked_by text, because text) RETURNS bigint
LANGUAGE plpgsql AS $function$
DECLARE
  a ${schema}.adoption;
  n bigint;
BEGIN
  PERFORM ${schema}.lock_briefly(adopted, 'SHARE ROW EXCLUSIVE');
  SELECT * INTO STRICT a FROM ${schema}.adoption WHERE relation = adopted AND state = 'draining';
  IF ${schema}.adoption_pending(a) > 0 THEN
    RETURN NULL;
  END IF;
  EXECUTE format($sql$
    INSERT INTO ${schema}.%I (id, topic, key, type, headers, payload, data)
      SELECT id, topic, key, type, headers, payload, data FROM ${schema}.adoption_waiting WHERE relation = $1 ORDER BY n
      ON CONFLICT (id) DO NOTHING$sql$, a.log) USING adopted::oid;
  DELETE FROM ${schema}.adoption_waiting WHERE relation = adopted::oid;
  GET DIAGNOSTICS n = ROW_COUNT;
  UPDATE ${schema}.adoption SET state = 'adopted', since = clock_timestamp() WHERE relation = adopted RETURNING * INTO a;
  PERFORM ${schema}.make_adoption_triggers(a);
  PERFORM ${schema}.record_adoption(a, asked_by, 'adopted', because, n || ' rows had waited');
  RETURN n;
END
$function$;

CREATE FUNCTION ${schema}.begin_return(adopted regclass, asked_by text, because text) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  a ${schema}.adoption;
BEGIN
  PERFORM ${schema}.lock_briefly(adopted, 'SHARE ROW EXCLUSIVE');
  SELECT * INTO STRICT a FROM ${schema}.adoption WHERE relation = adopted AND state <> 'returning';
  IF a.state = 'draining' THEN
    PERFORM ${schema}.end_adoption(a, asked_by, because);
    RETURN;
  END IF;
  UPDATE ${schema}.adoption
     SET state = 'returning', since = clock_timestamp(),
         upto = (SELECT coalesce(pg_sequence_last_value(l.sequence), 0) FROM ${schema}.log l WHERE l.name = a.log)
   WHERE relation = adopted RETURNING * INTO a;
  PERFORM ${schema}.make_adoption_triggers(a);
  PERFORM ${schema}.record_adoption(a, asked_by, 'give back', because, 'after position ' || a.upto);
END
$function$;

CREATE FUNCTION ${schema}.finish_return(adopted regclass, asked_by text, because text) RETURNS boolean
LANGUAGE plpgsql AS $function$
DECLARE
  a ${schema}.adoption;
BEGIN
  PERFORM ${schema}.lock_briefly(adopted, 'SHARE ROW EXCLUSIVE');
  SELECT * INTO STRICT a FROM ${schema}.adoption WHERE relation = adopted AND state = 'returning';
  IF ${schema}.adoption_unsent(a) IS DISTINCT FROM 0 THEN
    RETURN false;
  END IF;
  PERFORM ${schema}.end_adoption(a, asked_by, because);
  RETURN true;
END
$function$;

CREATE FUNCTION ${schema}.end_adoption(a ${schema}.adoption, asked_by text, because text) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  n bigint;
BEGIN
  PERFORM ${schema}.drop_adoption_triggers(a);
  EXECUTE format($sql$
    UPDATE %1$s SET %2$I = %3$L
     WHERE %4$I IN (SELECT source_id::%5$s FROM ${schema}.adoption_waiting WHERE relation = $1) AND %2$I = %6$L$sql$,
    a.relation, a.status_column, a.pending[1], a.id_column, ${schema}.column_type(a.relation, a.id_column), a.taken) USING a.relation::oid;
  GET DIAGNOSTICS n = ROW_COUNT;
  DELETE FROM ${schema}.adoption_waiting WHERE relation = a.relation::oid;
  DELETE FROM ${schema}.adoption WHERE relation = a.relation;
  PERFORM ${schema}.record_adoption(a, asked_by, 'gave back', because, n || ' rows had waited');
END
$function$;

INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (4, 'outbox', 1);


CREATE FUNCTION ${schema}.set_aside(subscription_id integer, log_name text, checkpoint_id integer, keys text[], states text[],
  failures text[], waits_ms bigint[], passed_keys text[], positions bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO ${schema}.parked (subscription, checkpoint, key, state, attempts, error, next_attempt_at)
  SELECT subscription_id, checkpoint_id, p.key, p.state, CASE WHEN p.state = 'slow' THEN 0 ELSE 1 END, p.failure,
         clock_timestamp() + p.wait_ms * interval '1 ms'
    FROM unnest(keys, states, failures, waits_ms) AS p (key, state, failure, wait_ms)
  ON CONFLICT DO NOTHING;
  INSERT INTO ${schema}.parked_message (parked, position, log)
  SELECT p.id, m.position, log_name
    FROM unnest(passed_keys, positions) AS m (key, position)
    JOIN ${schema}.parked p ON p.subscription = subscription_id AND p.key = m.key
  ON CONFLICT DO NOTHING;
  RETURN (SELECT count(*)
            FROM unnest(passed_keys) AS m (key)
            JOIN ${schema}.parked p ON p.subscription = subscription_id AND p.key = m.key);
END
$function$;

CREATE OR REPLACE VIEW ${schema}.lane_status AS
WITH locks AS (
  SELECT classid, objid, pid
    FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND objsubid = 2
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), groups AS (
  SELECT subscription, count(*)::integer AS groups FROM ${schema}.checkpoint GROUP BY subscription
)
SELECT s.name, s.target, s.log, c.lane, c.position, c.epoch,
       CASE WHEN k.pid IS NOT NULL THEN c.owner END AS owner,
       CASE WHEN k.pid IS NOT NULL THEN c.owned_since END AS owned_since,
       c.advanced_at,
       (SELECT min(${schema}.waiting_since(l.relation, n, c.position))
          FROM generate_series(c.lane, CASE WHEN c.lane < 0 THEN c.lane ELSE l.lanes - 1 END, g.groups) AS n) AS waiting_since,
       (SELECT string_agg(DISTINCT coalesce(nullif(w.application_name, ''), 'a transaction') || ' (process '
                          || coalesce(w.pid::text, 'none: prepared') || ', open for '
                          || coalesce(date_trunc('second', w.age)::text, 'an unknown time') || ')', ', ')
          FROM ${schema}.log_writers w
         WHERE w.log = s.log AND (w.lane % g.groups = c.lane OR c.lane < 0)) AS held_back_by,
       c.subscription, c.id AS checkpoint
  FROM ${schema}.checkpoint c
  JOIN ${schema}.subscription s ON s.id = c.subscription
  JOIN groups g ON g.subscription = c.subscription
  JOIN ${schema}.log l ON l.name = s.log
  LEFT JOIN locks k ON k.classid = '${schema}.checkpoint'::regclass AND k.objid = c.id::bigint::oid;

INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (5, 'relay', 1);


CREATE TABLE ${schema}.capture (
  name            text   PRIMARY KEY CHECK (name ~ '^[a-z_][a-z0-9_]{0,39}$'),
  log             text   NOT NULL REFERENCES ${schema}.log (name),
  publication     text   NOT NULL,
  own_publication boolean NOT NULL,          -- made by Baton, and changed by it when the tables change
  slot            text   NOT NULL UNIQUE,
  system          text   NOT NULL,           -- the mark means something in the WAL of this system only
  tables          text[] NOT NULL,
  operations      text[] NOT NULL,
  commit_lsn      pg_lsn,                    -- the mark: everything up to this change is in the log
  ordinal         bigint NOT NULL DEFAULT 0, -- within the transaction that commits there
  acknowledged    pg_lsn,                    -- null: no slot yet. Recorded before it is told: a slot beyond this one is not ours any more
  changes         bigint NOT NULL DEFAULT 0,
  changed_at      timestamptz,               -- when the last one was committed
  paused          boolean NOT NULL DEFAULT false,
  problem         text,
  problem_since   timestamptz,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

COMMENT ON TABLE ${schema}.capture IS 'Baton: one row for each capture, with its slot and its mark.';

CREATE TABLE ${schema}.capture_snapshot (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  capture      text   NOT NULL REFERENCES ${schema}.capture (name) ON DELETE CASCADE,
  table_name   text   NOT NULL,
  after_key    text[],                      -- the primary key of the last row that is in the log
  sent         bigint NOT NULL DEFAULT 0,
  estimated    bigint NOT NULL,             -- rows of the table when it was asked for, as far as statistics know
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  begun_at     timestamptz,
  done_at      timestamptz
) WITH (fillfactor = 50);

CREATE UNIQUE INDEX capture_snapshot_open ON ${schema}.capture_snapshot (capture, table_name) WHERE done_at IS NULL;

COMMENT ON TABLE ${schema}.capture_snapshot IS 'Baton: rows that captures send although they have not changed, and how far that is.';

CREATE FUNCTION ${schema}.system() RETURNS text
LANGUAGE sql VOLATILE AS $function$
  SELECT split_part(${schema}.timeline(), '/', 1)
$function$;

CREATE FUNCTION ${schema}.advance_capture(capture_name text, from_lsn pg_lsn, from_ordinal bigint, to_lsn pg_lsn, to_ordinal bigint,
  acknowledge pg_lsn, written bigint, committed timestamptz) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
  -- What is acknowledged must be there after a crash, whatever the role's default is.
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  UPDATE ${schema}.capture
     SET commit_lsn = to_lsn, ordinal = to_ordinal, acknowledged = greatest(acknowledged, acknowledge),
         changes = changes + written, changed_at = coalesce(committed, changed_at)
   WHERE name = capture_name AND commit_lsn = from_lsn AND ordinal = from_ordinal;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING
      ERRCODE = 'YB001',
      MESSAGE = format('the mark of capture %s is not at %s, change %s, any more', capture_name, from_lsn, from_ordinal);
  END IF;
END
$function$;

CREATE VIEW ${schema}.capture_status AS
SELECT c.name,
       CASE WHEN c.acknowledged IS NOT NULL AND s.slot_name IS NULL THEN 'lost'
            WHEN s.wal_status = 'lost' THEN 'lost'
            WHEN c.problem IS NOT NULL THEN 'stopped'
            WHEN c.paused THEN 'paused'
            WHEN s.active THEN 'running'
            ELSE 'waiting' END AS state,
       c.log, c.tables, c.operations, c.publication, c.own_publication, c.slot, c.changes, c.changed_at,
       c.commit_lsn, c.ordinal, c.acknowledged,
       l.holder AS owner, l.epoch,
       s.active, s.active_pid, s.wal_status, s.safe_wal_size,
       CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn) END::bigint AS retained_bytes,
       CASE WHEN pg_is_in_recovery() THEN NULL
            ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), s.confirmed_flush_lsn) END::bigint AS behind_bytes,
       c.problem, c.problem_since, c.created_at
  FROM ${schema}.capture c
  LEFT JOIN pg_replication_slots s ON s.slot_name = c.slot AND s.database = current_database()
  LEFT JOIN ${schema}.leader_status l ON l.name = 'capture/' || c.name;

COMMENT ON VIEW ${schema}.capture_status IS 'Baton: each capture, who reads for it, and how much WAL its slot retains.';

INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (6, 'capture', 1);


CREATE OR REPLACE FUNCTION ${schema}.take_lane(checkpoint_id integer, new_owner text, slice_ms integer)
RETURNS TABLE (epoch bigint, reached bigint, timeline text)
LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  here text := ${schema}.timeline();
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  RETURN QUERY
    UPDATE ${schema}.checkpoint c
       SET epoch = CASE WHEN c.timeline IN (here, 'none') THEN c.epoch + 1 ELSE ((c.epoch >> 32) + 1) << 32 END,
           timeline = here, owner = new_owner, owned_since = clock_timestamp()
     WHERE c.id = checkpoint_id AND c.timeline <> 'retired'
    RETURNING c.epoch, c.position, c.timeline;
  IF NOT FOUND THEN
    RETURN QUERY SELECT -1::bigint, 0::bigint, here;  -- deleted, or retired
  END IF;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN;
END
$function$;

INSERT INTO ${schema}.migration (number, name, compatible_from) VALUES (7, 'retired', 1);
