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
BEGIN
  EXECUTE format('CREATE SEQUENCE ${schema}.%I AS bigint CACHE 1 NO CYCLE', log_name || '_position');
  sequence := format('${schema}.%I', log_name || '_position');
  EXECUTE format($ddl$
    CREATE TABLE ${schema}.%1$I (
      position    bigint      NOT NULL CONSTRAINT %2$I PRIMARY KEY,
      recorded_at timestamptz NOT NULL,
      version     bigint      CHECK (version >= 0),
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

  -- The lane's lock first, then the position: see docs/frontier.md. A void function assigned to a variable costs less than PERFORM.
  EXECUTE format($ddl$
    CREATE FUNCTION ${schema}.%1$I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      h bytea;
      nothing text;
    BEGIN
      IF new.id IS NULL THEN new.id := %2$s; END IF;
      IF new.key IS NULL THEN new.key := new.id::text; END IF;
      h := pg_catalog.sha256(pg_catalog.convert_to(new.key, 'UTF8'));
      new.lane := ((pg_catalog.get_byte(h, 0)::bigint << 24) | (pg_catalog.get_byte(h, 1) << 16)
                 | (pg_catalog.get_byte(h, 2) << 8) | pg_catalog.get_byte(h, 3)) %% %3$s;
      nothing := pg_catalog.pg_advisory_xact_lock_shared(tg_relid::int, new.lane);
      new.position := pg_catalog.nextval(%4$L::pg_catalog.regclass);
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
    $ddl$, log_name || '_append', new_id, log_lanes, format('${schema}.%I', log_name || '_position'), log_name);

  INSERT INTO ${schema}.log (name, relation, sequence, lanes, retention)
    VALUES (log_name, relation, sequence, log_lanes, log_retention);
  PERFORM ${schema}.grant_log(relation, sequence);
  RETURN relation;
END
$create$;

-- Removes old rows of a log, one chunk in one transaction: those above what is gone already, up to the given position. The
-- caller computes that position from checkpoints and parked keys in one snapshot: removable().
CREATE FUNCTION ${schema}.retain(log_relation regclass, upto bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  above bigint;
  n     bigint;
BEGIN
  SELECT retained_above INTO above FROM ${schema}.log WHERE relation = log_relation FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is not a log', log_relation;
  END IF;
  PERFORM set_config('baton.door', 'DELETE ' || log_relation::oid || ' ' || pg_current_xact_id(), true);
  EXECUTE format('DELETE FROM %s WHERE position > $1 AND position <= $2', log_relation) USING above, upto;
  GET DIAGNOSTICS n = ROW_COUNT;
  PERFORM set_config('baton.door', '', true);
  UPDATE ${schema}.log SET retained_above = greatest(retained_above, upto) WHERE relation = log_relation;
  RETURN n;
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.retain(regclass, bigint) FROM PUBLIC;

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

SELECT ${schema}.create_log('events');
SELECT ${schema}.create_log('outbox');
