-- Logs: making one, its triggers, retention, redaction, streams, and the view of open writers.

-- A log is append-only. Only retention and redaction may change it: they set a value that names the log and the
-- transaction, and clear it after the one statement.
CREATE OR REPLACE FUNCTION ${schema}.log_refuse() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF tg_op IN ('DELETE', 'UPDATE') AND current_setting('baton.door', true)
       = tg_op || ' ' || tg_relid || ' ' || pg_current_xact_id() THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION USING
    ERRCODE = '55000',
    MESSAGE = format('%s on log %I.%I refused: a log is append-only', tg_op, tg_table_schema, tg_table_name),
    HINT = 'Old rows go by retention, a payload that must disappear by ''baton logs redact''.';
END
$function$;

-- Lets a role append to one log, and nothing else. An append returns position and id, so the role may read these two
-- columns. lock_streams() and find_ids() return everything else that an append needs to know.
CREATE OR REPLACE FUNCTION ${schema}.grant_append(log_name text, role_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.log;
BEGIN
  SELECT l.* INTO present FROM ${schema}.log l WHERE l.name = log_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no log %', quote_literal(log_name);
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA ${schema} TO %I', role_name);
  EXECUTE format('GRANT SELECT ON ${schema}.log, ${schema}.migration TO %I', role_name);
  EXECUTE format('GRANT INSERT, SELECT (position, id) ON %s TO %I', present.relation, role_name);
  EXECUTE format('GRANT USAGE ON %s TO %I', present.sequence, role_name);
END
$function$;

-- Grants the rights on one log to the roles that 'baton migrate --print-roles' made. Only to roles that may use this
-- schema, because the roles of another database have the same names.
CREATE OR REPLACE FUNCTION ${schema}.grant_log(relation regclass, sequence regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.log;
  wanted  text;
BEGIN
  SELECT l.* INTO STRICT present FROM ${schema}.log l WHERE l.relation = grant_log.relation;
  FOR wanted IN
    SELECT r.kind FROM unnest(ARRAY['append', 'worker', 'read']) AS r (kind)
     WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}_' || r.kind AND has_schema_privilege(oid, '${name}', 'USAGE'))
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %I', relation, '${name}_' || wanted);
    EXECUTE format('REVOKE ALL ON %s FROM %I', sequence, '${name}_' || wanted);
    IF wanted <> 'append' THEN
      EXECUTE format('GRANT SELECT ON %s TO %I', relation, '${name}_' || wanted);
      EXECUTE format('GRANT SELECT ON %s TO %I', sequence, '${name}_' || wanted);
    ELSIF present.writers = 'append' THEN
      PERFORM ${schema}.grant_append(present.name, '${name}_append');
    END IF;
    IF wanted = 'worker' THEN
      EXECUTE format('GRANT INSERT ON %s TO %I', relation, '${name}_worker');
      EXECUTE format('GRANT USAGE ON %s TO %I', sequence, '${name}_worker');
    END IF;
  END LOOP;
END
$function$;

-- Sets who may write to the log from now on: only workers, or the append role as well.
CREATE OR REPLACE FUNCTION ${schema}.set_writers(log_name text, new_writers text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  UPDATE ${schema}.log l SET writers = new_writers WHERE l.name = log_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no log %', quote_literal(log_name);
  END IF;
  PERFORM ${schema}.grant_log(l.relation, l.sequence) FROM ${schema}.log l WHERE l.name = log_name;
END
$function$;

-- Refuses a row that no log takes, or, with a limit, that could never be published. Called by the trigger for rows that look
-- like that.
CREATE OR REPLACE FUNCTION ${schema}.refuse_row(log_name text, payload_limit integer, version bigint, topic text, key text, headers json,
  payload json, data bytea) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  fault text := CASE
    WHEN num_nulls(payload, data) = 2 THEN 'the row has neither payload nor data: give one of them'
    WHEN num_nulls(payload, data) = 0 THEN 'the row has both payload and data: give one of them'
    WHEN octet_length(key) > 1000 THEN format('the key ''%s…'' has %s bytes: give at most 1000', left(key, 40), octet_length(key))
    WHEN version <= 0 THEN format('the version %s is out of range: versions begin with 1', version)
    WHEN payload_limit IS NOT NULL THEN ${schema}.message_fault(log_name, payload_limit, topic, key, headers, payload, data)
  END;
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = fault, SCHEMA = '${name}', TABLE = log_name;
  END IF;
END
$function$;

-- The trigger function of a log. It contains the log's own values as literals, because looking them up would cost every
-- row. Every migration makes it anew. It refuses bad rows itself: for a CHECK constraint or a condition of a trigger, every
-- statement reads its text from the catalog and parses it (docs/decisions/0043-what-an-append-costs.md). It takes the lane's lock
-- first, then the position: see docs/frontier.md. CASE evaluates in this order. There is no SET clause, which would cost every row.
CREATE OR REPLACE FUNCTION ${schema}.make_append(log_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
DECLARE
  -- Who changes the limit at the same time waits.
  present   ${schema}.log := (SELECT l FROM ${schema}.log l WHERE l.name = log_name FOR NO KEY UPDATE);
  log_lanes integer := present.lanes;
  new_id    text := CASE WHEN current_setting('server_version_num')::integer >= 180000
                         THEN 'pg_catalog.uuidv7()' ELSE 'pg_catalog.gen_random_uuid()' END;
  -- For a number modulo a small power of two, only the last byte matters.
  lane      text := CASE WHEN log_lanes <= 256 AND log_lanes & (log_lanes - 1) = 0
                         THEN format('pg_catalog.get_byte(pg_catalog.sha256(pg_catalog.convert_to(new.key, %L)), 3) OPERATOR(pg_catalog.&) %s',
                                     'UTF8', log_lanes - 1)
                         ELSE format('${schema}.lane_of(new.key, %s)', log_lanes) END;
  refusal   text := format('PERFORM ${schema}.refuse_row(%L, %L::pg_catalog.int4, new.version, new.topic, new.key, new.headers, new.payload, new.data)',
                           log_name, present.payload_limit);
  -- What an outbox refuses as well. Headers are apart, for rows that have some: each function in an expression costs every transaction.
  unfit     text := CASE WHEN present.payload_limit IS NULL THEN '' ELSE format($fit$
          OR (new.topic OPERATOR(pg_catalog.~) '^[!-~]+$' AND pg_catalog.octet_length(new.topic) OPERATOR(pg_catalog.<) 250) IS NOT TRUE
          OR COALESCE(pg_catalog.octet_length(new.payload::pg_catalog.text), pg_catalog.octet_length(new.data)) OPERATOR(pg_catalog.>) %s$fit$,
    present.payload_limit) END;
  headers   text := CASE WHEN present.payload_limit IS NULL THEN '' ELSE format($fit$
      IF new.headers IS NOT NULL THEN
        IF pg_catalog.octet_length(new.headers::pg_catalog.text) OPERATOR(pg_catalog.>) 16384
            OR pg_catalog.regexp_replace(new.headers::pg_catalog.text, $re$"([^"\\]|\\.)*"$re$, '', 'g')
               OPERATOR(pg_catalog.!~) '^[[:space:]]*[{][^[{]*[}][[:space:]]*$' THEN
          %s;
        END IF;
      END IF;$fit$, refusal) END;
BEGIN
  EXECUTE format($ddl$
    CREATE OR REPLACE FUNCTION ${schema}.%1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      nothing pg_catalog.text;
    BEGIN
      IF new.id IS NULL THEN new.id := %2$s; END IF;
      IF new.key IS NULL THEN new.key := new.id::pg_catalog.text; END IF;
      IF pg_catalog.num_nulls(new.payload, new.data) OPERATOR(pg_catalog.<>) 1
          OR pg_catalog.octet_length(new.key) OPERATOR(pg_catalog.>) 1000
          OR new.version OPERATOR(pg_catalog.<=) 0::pg_catalog.int8%5$s THEN
        %6$s;
      END IF;%7$s
      new.lane := %3$s;
      new.position := CASE WHEN pg_catalog.pg_advisory_xact_lock_shared(tg_relid::pg_catalog.int4, new.lane) IS NOT NULL
                           THEN pg_catalog.nextval(%4$L::pg_catalog.regclass) END;
      new.recorded_at := pg_catalog.clock_timestamp();
      IF NOT pg_catalog.pg_try_advisory_xact_lock_shared(tg_relid::pg_catalog.int4, -1) THEN
        -- A full queue would fail the writer's commit, whoever filled it. Without the ring, the look of every second
        -- finds the row.
        IF (pg_catalog.current_setting('baton.doorbell', true) IS NULL
            OR pg_catalog.current_setting('baton.doorbell', true) OPERATOR(pg_catalog.<>) 'off')
            AND pg_catalog.pg_notification_queue_usage() OPERATOR(pg_catalog.<) 0.5::pg_catalog.float8 THEN
          nothing := pg_catalog.pg_notify(pg_catalog.concat('baton.', tg_relid), '');
        END IF;
      END IF;
      RETURN new;
    END
    $body$
    $ddl$, log_name || '_append', new_id, lane, format('${schema}.%I', log_name || '_position'), unfit, refusal, headers);
END
$make$;

-- Makes a log: sequence, table, indexes, triggers. The sequence is not OWNED BY the column: positions must not start again with
-- TRUNCATE ... RESTART IDENTITY.
CREATE OR REPLACE FUNCTION ${schema}.create_log(log_name text, log_lanes integer DEFAULT 16, log_retention interval DEFAULT NULL)
RETURNS regclass
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $create$
DECLARE
  relation regclass;
  sequence regclass;
  owner    text := (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = '${name}');
BEGIN
  EXECUTE format('CREATE SEQUENCE ${schema}.%I AS bigint CACHE 1 NO CYCLE', log_name || '_position');
  sequence := format('${schema}.%I', log_name || '_position');
  EXECUTE format($ddl$
    CREATE TABLE ${schema}.%1$I (
      position    bigint      NOT NULL CONSTRAINT %2$I PRIMARY KEY,
      recorded_at timestamptz NOT NULL,
      version     bigint,
      id          uuid        NOT NULL,
      lane        integer     NOT NULL,
      key         text        NOT NULL,
      topic       text,
      type        text,
      headers     json,
      payload     json,
      data        bytea
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
            autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000);
    CREATE INDEX %3$I ON ${schema}.%1$I (lane, position);
    CREATE UNIQUE INDEX %4$I ON ${schema}.%1$I (key, version) WHERE version IS NOT NULL;
    CREATE UNIQUE INDEX %5$I ON ${schema}.%1$I (id);
    $ddl$, log_name, log_name || '_pkey', log_name || '_lane', log_name || '_version', log_name || '_id');
  relation := format('${schema}.%I', log_name);
  INSERT INTO ${schema}.log (name, relation, sequence, lanes, retention)
    VALUES (log_name, relation, sequence, log_lanes, log_retention);
  PERFORM ${schema}.make_append(log_name);
  EXECUTE format($ddl$
    CREATE TRIGGER baton_append BEFORE INSERT ON ${schema}.%1$I
      FOR EACH ROW EXECUTE FUNCTION ${schema}.%2$I();
    CREATE TRIGGER baton_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.%1$I
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.log_refuse();
    ALTER TABLE ${schema}.%1$I ENABLE ALWAYS TRIGGER baton_append;
    ALTER TABLE ${schema}.%1$I ENABLE ALWAYS TRIGGER baton_refuse;
    $ddl$, log_name, log_name || '_append');

  -- Retention works with the rights of the schema's owner, whichever of its members made the log.
  IF owner <> current_user THEN
    EXECUTE format('ALTER TABLE %s OWNER TO %I', relation, owner);
    EXECUTE format('ALTER SEQUENCE %s OWNER TO %I', sequence, owner);
    EXECUTE format('ALTER FUNCTION ${schema}.%I() OWNER TO %I', log_name || '_append', owner);
  END IF;
  PERFORM ${schema}.grant_log(relation, sequence);
  RETURN relation;
END
$create$;

-- Part of retain_aged(), and granted to nobody, because it does not look at the log's retention. Removes rows of a log,
-- in one transaction: those above the rows that are gone already, up to the given position, but never a row that a
-- subscription has not passed or that a parked key needs. It locks the log's row before it looks at the subscriptions.
-- Creating a subscription refers to that row, so a new one is either seen here or starts above the rows that are gone.
CREATE OR REPLACE FUNCTION ${schema}.retain(log_relation regclass, upto bigint) RETURNS bigint
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

-- Removes rows that were committed below the rows that are gone already, by transactions that were open meanwhile.
-- Called by retain_aged, with its rights.
CREATE OR REPLACE FUNCTION ${schema}.retain_late(log_name text, older_than timestamptz, most integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.log;
  late    bigint[];
  n       bigint;
BEGIN
  SELECT l.* INTO present FROM ${schema}.log l WHERE l.name = log_name;
  EXECUTE format('SELECT array_agg(position) FROM (SELECT position FROM %s WHERE position <= $1 AND recorded_at < $2 ORDER BY position LIMIT $3) p',
                 present.relation) INTO late USING present.retained_above, older_than, most;
  IF late IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM FROM ${schema}.log l WHERE l.name = log_name FOR UPDATE;  -- as retain does, before the look at the subscriptions
  PERFORM set_config('baton.door', 'DELETE ' || present.relation::oid || ' ' || pg_current_xact_id(), true);
  EXECUTE format('DELETE FROM %s WHERE position = ANY ($1) AND position <= $2', present.relation)
    USING late, ${schema}.removable(log_name);
  GET DIAGNOSTICS n = ROW_COUNT;
  PERFORM set_config('baton.door', '', true);
  RETURN n;
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.retain_late(text, timestamptz, integer) FROM PUBLIC;

-- Removes at most the given number of rows that are older than the log's retention, the oldest first. One chunk in one
-- transaction; 0 means that nothing is left to do. Time follows position, so it looks at rows from the oldest on, and
-- only up to the first one that is young enough.
CREATE OR REPLACE FUNCTION ${schema}.retain_aged(log_name text, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.log;
  upto    bigint;
  n       bigint;
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
  n := CASE WHEN upto IS NULL THEN 0 ELSE ${schema}.retain(present.relation, upto) END;
  RETURN CASE WHEN n = 0 THEN ${schema}.retain_late(log_name, clock_timestamp() - present.retention, most) ELSE n END;
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.retain_aged(text, integer) FROM PUBLIC;

-- Blanks the payload and headers of one row, for instance on legal demand, and records who asked and why. Position, key
-- and id stay.
CREATE OR REPLACE FUNCTION ${schema}.redact(log_relation regclass, row_position bigint, asked_by text, because text) RETURNS boolean
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

-- Refuses a caller that may not append to the log. For functions that return more than the caller may read.
CREATE OR REPLACE FUNCTION ${schema}.require_append(log_relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM ${schema}.log l WHERE l.relation = log_relation) THEN
    RAISE EXCEPTION '% is not a log', log_relation;
  END IF;
  IF NOT has_table_privilege(${schema}.caller(), log_relation, 'INSERT') THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('permission denied for log %s: %s may not append to it', log_relation, ${schema}.caller());
  END IF;
END
$function$;

-- The positions of the rows with these ids, for an append whose id exists already.
CREATE OR REPLACE FUNCTION ${schema}.find_ids(log_relation regclass, ids uuid[])
RETURNS TABLE ("position" bigint, id uuid, key text, version bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM ${schema}.require_append(log_relation);
  RETURN QUERY EXECUTE format('SELECT t.position, t.id, t.key, t.version FROM %s t WHERE t.id = ANY ($1)', log_relation) USING ids;
END
$function$;

-- Locks streams until the transaction ends and, in a later statement, returns their versions (null: no message yet).
-- The lock is exclusive for streams that will be appended to, and shared for those that must only stay unchanged. All
-- callers lock in the same order. Java's appends to streams call this; clients that insert versions with plain SQL
-- should call it too, otherwise only the unique index stops them. It runs with the owner's rights, because a role that
-- may append need not be able to read. The lock is (log, 32 bits of SHA-256 of the log's OID and the key): if two
-- streams share a number, they wait for each other, which does no harm.
CREATE OR REPLACE FUNCTION ${schema}.lock_streams(log_relation regclass, keys text[], shared boolean[])
RETURNS TABLE (key text, version bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  class integer := ${schema}.lock_class('${schema}.log'::regclass);
  one   record;
BEGIN
  PERFORM ${schema}.require_append(log_relation);
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

-- How far rows may be removed: up to the rows that every subscription has passed and that no parked key needs. It is
-- one statement, so it uses one snapshot. Of the messages of parked keys, it goes along the index only to the first that counts.
CREATE OR REPLACE FUNCTION ${schema}.removable(log_name text) RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
  SELECT least(
    (SELECT min(c.position) FROM ${schema}.checkpoint c JOIN ${schema}.subscription s ON s.id = c.subscription
      WHERE s.log = log_name AND s.state <> 'retired'),
    (SELECT m.position - 1 FROM ${schema}.parked_message m
      WHERE m.log = log_name
        AND (SELECT s.state <> 'retired' FROM ${schema}.parked p JOIN ${schema}.subscription s ON s.id = p.subscription
              WHERE p.id = m.parked)
      ORDER BY m.log, m.position LIMIT 1),
    (SELECT coalesce(pg_sequence_last_value(l.sequence), 0) FROM ${schema}.log l WHERE l.name = log_name))
$function$;

-- Changes that somebody made to parts of a log that Baton rests on, each with what to do. Grave ones could make readers
-- miss messages or positions be given out twice; the others only cost speed. The answer is for the caller's own role: a
-- role that is subject to row security sees only some rows.
CREATE OR REPLACE FUNCTION ${schema}.unsafe(log_name text) RETURNS TABLE (grave boolean, problem text, remedy text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.log;
  drawn   pg_sequence;
  one     record;
BEGIN
  SELECT l.* INTO present FROM ${schema}.log l WHERE l.name = log_name;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  grave := true;
  SELECT q.* INTO drawn FROM pg_sequence q WHERE q.seqrelid = present.sequence;
  IF NOT FOUND THEN
    problem := format('its sequence %s is gone', present.sequence);
    remedy := 'Restore it from a backup, with a value above every position that was used.';
    RETURN NEXT;
  ELSIF drawn.seqcache <> 1 OR drawn.seqincrement <> 1 OR drawn.seqcycle THEN
    problem := format('its sequence %s has CACHE %s, INCREMENT %s%s, so positions are not drawn in the order of time',
                      present.sequence, drawn.seqcache, drawn.seqincrement, CASE WHEN drawn.seqcycle THEN ', CYCLE' ELSE '' END);
    remedy := format('Run ALTER SEQUENCE %s CACHE 1 INCREMENT 1 NO CYCLE, and end every session that wrote to the log meanwhile: it may keep old values.',
                     present.sequence);
    RETURN NEXT;
  END IF;
  IF EXISTS (SELECT FROM pg_depend d
              WHERE d.classid = 'pg_class'::regclass AND d.objid = present.sequence AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0) THEN
    problem := format('its sequence %s is owned by a column, so TRUNCATE ... RESTART IDENTITY would give positions out again', present.sequence);
    remedy := format('Run ALTER SEQUENCE %s OWNED BY NONE.', present.sequence);
    RETURN NEXT;
  END IF;
  IF row_security_active(present.relation::oid) THEN
    problem := format('row security is on for %s and role %I is subject to it, so it sees only some of the messages', present.relation, current_user);
    remedy := format('Run ALTER TABLE %s DISABLE ROW LEVEL SECURITY, or let Baton''s role BYPASSRLS.', present.relation);
    RETURN NEXT;
  END IF;
  FOR one IN
    SELECT w.name, t.tgenabled, t.tgname IS NOT NULL AS there
      FROM unnest(ARRAY['baton_append', 'baton_refuse']) AS w (name)
      LEFT JOIN pg_trigger t ON t.tgrelid = present.relation AND t.tgname = w.name
     WHERE t.tgenabled IS DISTINCT FROM 'A'
  LOOP
    problem := format('its trigger %s is %s', one.name,
      CASE WHEN NOT one.there THEN 'gone' WHEN one.tgenabled = 'D' THEN 'disabled' ELSE 'not enabled for every session' END);
    remedy := CASE WHEN one.there THEN format('Run ALTER TABLE %s ENABLE ALWAYS TRIGGER %s.', present.relation, one.name)
      WHEN one.name = 'baton_append' THEN
        format('Run CREATE TRIGGER baton_append BEFORE INSERT ON %1$s FOR EACH ROW EXECUTE FUNCTION ${schema}.%2$I(); ALTER TABLE %1$s ENABLE ALWAYS TRIGGER baton_append.',
               present.relation, log_name || '_append')
      ELSE format('Run CREATE TRIGGER baton_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON %1$s FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.log_refuse(); ALTER TABLE %1$s ENABLE ALWAYS TRIGGER baton_refuse.',
                  present.relation) END
      || CASE WHEN one.name = 'baton_append' THEN ' Rows that were written meanwhile have no position of their own: look at them first.' ELSE '' END;
    RETURN NEXT;
  END LOOP;
  grave := false;
  FOR one IN
    SELECT w.columns, w.needs_unique
      FROM (VALUES (ARRAY['position'], true), (ARRAY['lane', 'position'], false), (ARRAY['id'], true)) AS w (columns, needs_unique)
     WHERE NOT EXISTS (
       SELECT FROM pg_index i
        WHERE i.indrelid = present.relation AND i.indisvalid AND i.indpred IS NULL AND (i.indisunique OR NOT w.needs_unique)
          AND (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
                 JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum) = w.columns)
  LOOP
    problem := format('%s has no valid %sindex on (%s)', present.relation, CASE WHEN one.needs_unique THEN 'unique ' ELSE '' END,
                      array_to_string(one.columns, ', '));
    remedy := format('Run CREATE %sINDEX CONCURRENTLY ON %s (%s).', CASE WHEN one.needs_unique THEN 'UNIQUE ' ELSE '' END, present.relation,
                     array_to_string(one.columns, ', '));
    RETURN NEXT;
  END LOOP;
END
$function$;

-- Stops retention until the end of the transaction, and returns how far it has removed rows. Called before a checkpoint
-- is moved back.
CREATE OR REPLACE FUNCTION ${schema}.pin_log(log_name text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  SELECT l.retained_above FROM ${schema}.log l WHERE l.name = log_name FOR SHARE
$function$;
REVOKE ALL ON FUNCTION ${schema}.pin_log(text) FROM PUBLIC;

-- The transactions that hold a lane of a log back: they wrote to it and are still open.
CREATE OR REPLACE VIEW ${schema}.log_writers AS
SELECT l.name AS log, k.objid::bigint::integer AS lane, k.pid, k.virtualtransaction,
       a.application_name, a.usename, a.client_addr, a.state, a.xact_start, clock_timestamp() - a.xact_start AS age
  FROM pg_locks k
  JOIN ${schema}.log l ON l.relation::oid = k.classid
  LEFT JOIN pg_stat_activity a ON a.pid = k.pid
 WHERE k.locktype = 'advisory' AND k.objsubid = 2 AND k.granted AND k.mode = 'ShareLock' AND k.objid < 1000000
   AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database());

COMMENT ON VIEW ${schema}.log_writers IS 'Baton: open transactions that wrote to a log, with the lane that waits for them.';

-- An action is always recorded with the session's user, whatever name was given, and with the database's time.
CREATE OR REPLACE FUNCTION ${schema}.stamp_action() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  new.by_user := session_user;
  new.at := clock_timestamp();
  RETURN new;
END
$function$;

CREATE OR REPLACE TRIGGER stamp_action BEFORE INSERT ON ${schema}.action
  FOR EACH ROW EXECUTE FUNCTION ${schema}.stamp_action();
