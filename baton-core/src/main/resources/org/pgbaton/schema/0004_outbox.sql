-- The outbox: what may be sent; the inbox of receivers; moving in from a table with a status column.
-- compatible-from: 1

-- Takes a table lock that conflicts with writers without making them queue behind it for long: it tries for a tenth of a second, lets
-- everybody pass, and tries again. Held until the transaction ends.
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

-- ---- What may be sent

SELECT ${schema}.lock_briefly('${schema}.log', 'ACCESS EXCLUSIVE');
ALTER TABLE ${schema}.log ADD COLUMN payload_limit integer CHECK (payload_limit BETWEEN 1 AND 100000000);
COMMENT ON COLUMN ${schema}.log.payload_limit IS
  'Of an outbox: the largest payload in bytes. Null: not an outbox, anything may be written.';

-- Why a message could never be published; null: nothing speaks against it. What all targets take is a topic of up to 249 visible ASCII
-- characters (Kafka's length), headers that are names and values, and, by default, a message below a megabyte.
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

-- Makes an outbox of a log, or changes its limit: from now on a message that could never be published is refused when it is written. By
-- a condition of a trigger, which costs less than a call, and not by a constraint, which would also refuse to redact older rows.
-- Its name comes before baton_append: what is refused draws no position.
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

-- ---- The inbox of receivers

-- Which messages a receiver has had. Written in the receiver's own transaction.
CREATE TABLE ${schema}.inbox (
  inbox       text NOT NULL,
  id          uuid NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000);
CREATE INDEX inbox_age ON ${schema}.inbox (inbox, received_at);

COMMENT ON TABLE ${schema}.inbox IS 'Baton: the ids of messages that a receiver has had.';

-- The highest epoch that came with each key, and since when.
CREATE TABLE ${schema}.inbox_epoch (
  inbox text   NOT NULL,
  key   text   NOT NULL,
  epoch bigint NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX inbox_epoch_age ON ${schema}.inbox_epoch (inbox, since);

COMMENT ON TABLE ${schema}.inbox_epoch IS 'Baton: the highest epoch that a receiver has seen of each key.';

-- Whether this receiver has the message for the first time; true once. To be called in the transaction that does the message's work: if
-- it rolls back, the next one is the first. Two at the same time: the second waits for the first one's end.
-- With key and epoch also: whoever sends under an older epoch of the key than was seen before lost the key's lane, and is refused. The
-- epoch comes first, since an id that was recorded and then refused would make the rightful copy look like a second one.
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

-- Forgets what is older, at most so many ids and so many epochs; 0 means that nothing is left to do.
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

-- ---- Moving in: adopting a table with a status column
--
-- The old relay sends rows whose status is one of `pending`. What must not happen: a row sent by both, by neither, or a later row of
-- a key by one while an earlier one is still with the other. So every row belongs to one side from its insertion on:
--
--   draining   Inserted rows get the status `taken`, which the old relay does not know, and wait in adoption_waiting. The lock under which
--              the triggers are made lets no writer straddle that moment. The old relay sends what it has.
--   adopted    When it has nothing left, what waits goes into the log, in the order of insertion, under the same lock; from then on
--              inserted rows go into the log at once. Relays of the log may run all the time: they see nothing before.
--   returning  The way back: inserted rows wait again, until the log's relays have sent what is in the log. Then they become pending.
--
-- Each step is one transaction; between two of them nothing is lost, whoever dies.
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

-- Rows of adopted tables that wait for the other side; made into messages already, unless they are on their way back.
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

-- The type of a column; of a domain what is below it.
CREATE FUNCTION ${schema}.column_type(relation regclass, column_name text) RETURNS text
LANGUAGE sql STABLE AS $function$
  SELECT format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL)
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
   WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped
$function$;

-- SQL that makes a message (id, topic, key, type, headers, payload, data) from a row of an adopted table. Ids that are UUIDs stay what they
-- are; others become one, always the same. A text is JSON if it is; else its bytes are sent.
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

-- The triggers of an adopted table, as its state wants them; under the table's lock. Their names come last, so that other triggers have done
-- their work. The status is changed before, the message made after the insertion: of a row that ON CONFLICT leaves out there must be
-- none. The second one works with the owner's rights, since writers need none in Baton's schema.
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

-- How many rows the old relay still has to send.
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

-- How many messages the relays of the log still have to send before waiting rows may become pending; null if the log has no relay. A relay
-- has a checkpoint for each lane, or for some of them together: then a lane's is the one with the lane's number modulo their number.
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

-- What the rows that are there now would be as messages: how many were looked at, how many of them the log would refuse, and one of those with
-- the reason. Of a large table a sample.
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

-- Why the table does not take the values that the adoption gives its status; null if it does. Tried on a table like it, of which nothing is left.
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

-- Returns how many rows had waited; null if the old relay is not done.
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

-- The first step back. While the old relay still drains, it is the only one.
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

-- The last step back. False if relays of the log are not done.
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

-- What waits is the old relay's; the table is as it was.
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
