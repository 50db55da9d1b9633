-- Logs: append-only tables that any SQL client can write to.
-- compatible-from: 1

-- One row for each log. The table has the log's name; its OID is the first number of the log's advisory locks:
--   (log, lane)  shared by every writer that has a row of that lane in an open transaction
--   (log, -1)    the doorbell: tried by writers, held by one of the readers that sleep, who hear the channel 'baton.<OID>'
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

-- Everything somebody asked for by hand: who, when, what, to what, why.
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

-- The lane of a key: the first four bytes of its SHA-256 as an unsigned number, modulo the number of lanes. Never changes.
CREATE FUNCTION ${schema}.lane_of(key text, lanes integer) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT (((get_byte(h, 0)::bigint << 24) | (get_byte(h, 1) << 16) | (get_byte(h, 2) << 8) | get_byte(h, 3)) % lanes)::integer
    FROM sha256(convert_to(key, 'UTF8')) AS h
$function$;

-- A log is append-only. Retention and redaction come through a door of their own: a value that names the log and the
-- transaction, set and cleared around the one statement.
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

-- The rights of the roles that 'baton migrate --print-roles' makes, for those of them that exist.
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

-- Makes a log: sequence, table, indexes, and a trigger function with the log's own literals in it, since looking them up would cost
-- every row. The sequence is not OWNED BY the column: positions must not start again with TRUNCATE ... RESTART IDENTITY.
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

-- Removes rows of a log, in one transaction: those above what is gone already, up to the given position, but never one that a
-- subscription has not passed or a parked key needs. The lock on the log's row comes before the look at the subscriptions: who creates
-- one refers to that row, and so is either seen here or starts above what is gone.
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

-- Removes at most so many of the rows that are older than the log's retention, the oldest first. One chunk in one transaction; 0
-- means that nothing is left to do. Time follows position, so rows are looked at from the oldest on, and only up to the first
-- that is young enough.
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

-- Blanks the payload and headers of one row, on legal demand, and records who asked and why. Position, key and id stay.
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

-- Locks streams until the transaction ends and, in a later statement, tells their versions (null: no message yet). Exclusive for
-- streams that will be appended to, shared for those that only must stay where they are; in one order for everybody. Java's appends
-- to streams do this; whoever inserts versions with plain SQL should, and is otherwise stopped by the unique index only.
-- The lock is (log, 32 bits of SHA-256 of the log's OID and the key): two streams that share a number wait for each other, no more.
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
