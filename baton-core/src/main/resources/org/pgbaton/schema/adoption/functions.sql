-- Moving in from a table with a status column; the states are explained at the table, in 0004_outbox.sql.
--
-- These functions are in the schema only while a table is adopted. Each step of an adoption applies them first and removal.sql last, in
-- its own transaction; a migration does the same for the tables that are adopted then. See docs/decisions/0031-adoption.md.

CREATE OR REPLACE FUNCTION ${schema}.json_or_null(content text) RETURNS json
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  RETURN content::json;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$function$;

-- The type of a column; of a domain what is below it.
CREATE OR REPLACE FUNCTION ${schema}.column_type(relation regclass, column_name text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
  SELECT format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL)
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
   WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped
$function$;

-- SQL that makes a message (id, topic, key, type, headers, payload, data) from a row of an adopted table. Ids that are UUIDs stay what they
-- are; others become one, always the same. A text is JSON if it is; else its bytes are sent.
CREATE OR REPLACE FUNCTION ${schema}.adoption_message(a ${schema}.adoption, row_name text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
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

-- The functions are found by their triggers: in a database that was restored, neither is an OID what it was.
CREATE OR REPLACE FUNCTION ${schema}.drop_adoption_triggers(a ${schema}.adoption) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  functions text := (SELECT string_agg(DISTINCT t.tgfoid::regprocedure::text, ', ') FROM pg_trigger t
                      WHERE t.tgrelid = a.relation AND t.tgname IN ('zz_baton_take', 'zz_baton_keep', 'zz_baton_hand_on'));
BEGIN
  EXECUTE format('DROP TRIGGER IF EXISTS zz_baton_take ON %1$s; DROP TRIGGER IF EXISTS zz_baton_keep ON %1$s;
                  DROP TRIGGER IF EXISTS zz_baton_hand_on ON %1$s', a.relation);
  IF functions IS NOT NULL THEN
    EXECUTE 'DROP FUNCTION ' || functions;
  END IF;
END
$function$;

-- Which adopted table a row was written to; the trigger may be one of a partition.
CREATE OR REPLACE FUNCTION ${schema}.adopted_table(written regclass) RETURNS regclass
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
  SELECT a.relation FROM ${schema}.adoption a
   WHERE a.relation = written OR a.relation IN (SELECT p.relid FROM pg_partition_ancestors(written) p)
$function$;

-- The triggers of an adopted table, as its state wants them; under the table's lock. Their names come last, so that other triggers have done
-- their work. The status is changed before, the message made after the insertion: of a row that ON CONFLICT leaves out there must be
-- none. The second one works with the owner's rights, since writers need none in Baton's schema.
CREATE OR REPLACE FUNCTION ${schema}.make_adoption_triggers(a ${schema}.adoption) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
DECLARE
  -- A name that nobody has had: no OID, which another table may have after a restore.
  unique_name text := 'adopted_' || replace(gen_random_uuid()::text, '-', '');
  take    text := unique_name || '_take';
  hand_on text := unique_name || '_hand_on';
  message text := ${schema}.adoption_message(a, 'new');
  is_pending text := (SELECT string_agg(format('%L', p), ', ') FROM unnest(a.pending) p);
  owner   text := (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = '${name}');
BEGIN
  PERFORM ${schema}.drop_adoption_triggers(a);
  EXECUTE format($ddl$
    CREATE FUNCTION ${schema}.%1$I() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
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
          VALUES (${schema}.adopted_table(tg_relid), new.%3$I::text, m.id, m.topic, m.key, m.type, m.headers, m.payload, m.data);$steps$,
        message, a.log, a.id_column)
      -- An id that is in the log already was given out again, as after TRUNCATE ... RESTART IDENTITY: another row, so another message.
      WHEN 'adopted' THEN format($steps$
        %1$s INTO m;
        INSERT INTO ${schema}.%2$I (id, topic, key, type, headers, payload, data)
          VALUES (m.id, m.topic, m.key, m.type, m.headers, m.payload, m.data) ON CONFLICT (id) DO NOTHING;
        IF NOT FOUND THEN
          INSERT INTO ${schema}.%2$I (id, topic, key, type, headers, payload, data)
            VALUES (gen_random_uuid(), m.topic, m.key, m.type, m.headers, m.payload, m.data);
        END IF;$steps$, message, a.log)
      ELSE format('INSERT INTO ${schema}.adoption_waiting (relation, source_id) VALUES (${schema}.adopted_table(tg_relid), new.%I::text);', a.id_column)
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

CREATE OR REPLACE FUNCTION ${schema}.record_adoption(a ${schema}.adoption, asked_by text, step text, because text, detail text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
  INSERT INTO ${schema}.action (who, what, subject, reason, detail)
    VALUES (asked_by, step, 'table ' || a.relation::text || ', log ' || a.log, because, detail)
$function$;

-- How many rows the old relay still has to send.
CREATE OR REPLACE FUNCTION ${schema}.adoption_pending(a ${schema}.adoption) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  n bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM %s WHERE %I IN (%s)', a.relation, a.status_column,
                 (SELECT string_agg(format('%L', p), ', ') FROM unnest(a.pending) p)) INTO n;
  RETURN n;
END
$function$;

-- How many messages the relays of the log still have to send before waiting rows may become pending; null if the log has no relay. A relay
-- has a checkpoint for each lane, or for some of them together: then a lane's is the one with the lane's number modulo their number.
CREATE OR REPLACE FUNCTION ${schema}.adoption_unsent(a ${schema}.adoption) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
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

-- What the rows that are there now would be as messages: how many were looked at, how many of them the log would refuse, and one of those with
-- the reason. Of a large table a sample.
CREATE OR REPLACE FUNCTION ${schema}.check_adoption(a ${schema}.adoption, OUT looked_at bigint, OUT refused bigint, OUT example text, OUT fault text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
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

-- Why the table does not take the values that the adoption gives its status; null if it does. Tried on a table like it, of which nothing is left.
CREATE OR REPLACE FUNCTION ${schema}.status_fault(a ${schema}.adoption) RETURNS text
LANGUAGE plpgsql AS $function$
DECLARE
  one pg_catalog.text;
BEGIN
  EXECUTE pg_catalog.format('CREATE TEMPORARY TABLE baton_adoption_probe (LIKE %s INCLUDING CONSTRAINTS)', a.relation);
  FOR one IN
    SELECT c.attname FROM pg_catalog.pg_attribute c
     WHERE c.attrelid OPERATOR(pg_catalog.=) a.relation AND c.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2
       AND NOT c.attisdropped AND c.attnotnull
  LOOP
    EXECUTE pg_catalog.format('ALTER TABLE pg_temp.baton_adoption_probe ALTER COLUMN %I DROP NOT NULL', one);
  END LOOP;
  FOREACH one IN ARRAY pg_catalog.array_append(a.pending, a.taken) LOOP
    EXECUTE pg_catalog.format('INSERT INTO pg_temp.baton_adoption_probe (%I) VALUES (%L)', a.status_column, one);
  END LOOP;
  RAISE EXCEPTION USING ERRCODE = 'YB000';
EXCEPTION
  WHEN SQLSTATE 'YB000' OR insufficient_privilege THEN
    RETURN NULL;
  WHEN integrity_constraint_violation OR data_exception THEN
    RETURN pg_catalog.format('%s refuses %s: %s', a.status_column, pg_catalog.quote_literal(one), sqlerrm);
END
$function$;

CREATE OR REPLACE FUNCTION ${schema}.begin_adoption(a ${schema}.adoption, asked_by text, because text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM ${schema}.lock_briefly(a.relation, 'SHARE ROW EXCLUSIVE');
  a.state := 'draining';
  a.since := clock_timestamp();
  INSERT INTO ${schema}.adoption SELECT (a).*;
  PERFORM ${schema}.make_adoption_triggers(a);
  PERFORM ${schema}.record_adoption(a, asked_by, 'adopt', because, ${schema}.adoption_pending(a) || ' rows left to the old relay');
END
$function$;

-- Returns how many rows had waited; null if the old relay is not done.
CREATE OR REPLACE FUNCTION ${schema}.finish_adoption(adopted regclass, asked_by text, because text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
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
    INSERT INTO ${schema}.%1$I (id, topic, key, type, headers, payload, data)
      SELECT CASE WHEN w.nth > 1 OR EXISTS (SELECT FROM ${schema}.%1$I m WHERE m.id = w.id) THEN gen_random_uuid() ELSE w.id END,
             w.topic, w.key, w.type, w.headers, w.payload, w.data
        FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY n) AS nth FROM ${schema}.adoption_waiting WHERE relation = $1) w
       ORDER BY w.n$sql$, a.log) USING adopted;
  DELETE FROM ${schema}.adoption_waiting WHERE relation = adopted;
  GET DIAGNOSTICS n = ROW_COUNT;
  UPDATE ${schema}.adoption SET state = 'adopted', since = clock_timestamp() WHERE relation = adopted RETURNING * INTO a;
  PERFORM ${schema}.make_adoption_triggers(a);
  PERFORM ${schema}.record_adoption(a, asked_by, 'adopted', because, n || ' rows had waited');
  RETURN n;
END
$function$;

-- The first step back. While the old relay still drains, it is the only one.
CREATE OR REPLACE FUNCTION ${schema}.begin_return(adopted regclass, asked_by text, because text) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  a ${schema}.adoption;
BEGIN
  PERFORM ${schema}.lock_briefly(adopted, 'SHARE ROW EXCLUSIVE');
  SELECT * INTO STRICT a FROM ${schema}.adoption o
   WHERE o.relation OPERATOR(pg_catalog.=) adopted AND o.state OPERATOR(pg_catalog.<>) 'returning';
  IF a.state OPERATOR(pg_catalog.=) 'draining' THEN
    PERFORM ${schema}.end_adoption(a, asked_by, because);
    RETURN;
  END IF;
  UPDATE ${schema}.adoption
     SET state = 'returning', since = pg_catalog.clock_timestamp(),
         upto = (SELECT coalesce(pg_catalog.pg_sequence_last_value(l.sequence), 0::pg_catalog.int8)
                   FROM ${schema}.log l WHERE l.name OPERATOR(pg_catalog.=) a.log)
   WHERE relation OPERATOR(pg_catalog.=) adopted RETURNING * INTO a;
  PERFORM ${schema}.make_adoption_triggers(a);
  PERFORM ${schema}.record_adoption(a, asked_by, 'give back', because, pg_catalog.concat('after position ', a.upto));
END
$function$;

-- The last step back. False if relays of the log are not done.
CREATE OR REPLACE FUNCTION ${schema}.finish_return(adopted regclass, asked_by text, because text) RETURNS boolean
LANGUAGE plpgsql AS $function$
DECLARE
  a ${schema}.adoption;
BEGIN
  PERFORM ${schema}.lock_briefly(adopted, 'SHARE ROW EXCLUSIVE');
  SELECT * INTO STRICT a FROM ${schema}.adoption o
   WHERE o.relation OPERATOR(pg_catalog.=) adopted AND o.state OPERATOR(pg_catalog.=) 'returning';
  IF coalesce(${schema}.adoption_unsent(a), 1::pg_catalog.int8) OPERATOR(pg_catalog.<>) 0::pg_catalog.int8 THEN
    RETURN false;
  END IF;
  PERFORM ${schema}.end_adoption(a, asked_by, because);
  RETURN true;
END
$function$;

-- What waits is the old relay's; the table is as it was. This one and its callers have no search_path of their own: the table's own
-- triggers run under the caller's.
CREATE OR REPLACE FUNCTION ${schema}.end_adoption(a ${schema}.adoption, asked_by text, because text) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE
  n pg_catalog.int8;
BEGIN
  PERFORM ${schema}.drop_adoption_triggers(a);
  EXECUTE pg_catalog.format($sql$
    UPDATE %1$s SET %2$I = %3$L
     WHERE %4$I OPERATOR(pg_catalog.=) ANY (
             SELECT w.source_id::%5$s FROM ${schema}.adoption_waiting w WHERE w.relation OPERATOR(pg_catalog.=) $1)
       AND %2$I OPERATOR(pg_catalog.=) %6$L$sql$,
    a.relation, a.status_column, a.pending[1], a.id_column, ${schema}.column_type(a.relation, a.id_column), a.taken)
    USING a.relation;
  GET DIAGNOSTICS n = ROW_COUNT;
  DELETE FROM ${schema}.adoption_waiting WHERE relation OPERATOR(pg_catalog.=) a.relation;
  DELETE FROM ${schema}.adoption WHERE relation OPERATOR(pg_catalog.=) a.relation;
  PERFORM ${schema}.record_adoption(a, asked_by, 'gave back', because, pg_catalog.concat(n, ' rows had waited'));
END
$function$;
