-- The outbox: which messages may be written.

-- Why a message could never be published; null if it could. All targets take a topic of up to 249 visible ASCII
-- characters (Kafka's length), headers that are names and values, and, by default, a message below a megabyte.
CREATE OR REPLACE FUNCTION ${schema}.message_fault(log_name text, payload_limit integer, topic text, key text, headers json, payload json, data bytea)
RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
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

CREATE OR REPLACE FUNCTION ${schema}.refuse_message() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  fault text := ${schema}.message_fault(tg_table_name, tg_argv[0]::integer, new.topic, new.key, new.headers, new.payload, new.data);
BEGIN
  IF fault IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = fault;
  END IF;
  RETURN new;
END
$function$;

-- Makes an outbox of a log, or changes its limit: from now on a message that could never be published is refused when
-- it is written. The check is a condition of a trigger, which costs less than a call. A constraint would also refuse to
-- redact older rows. The trigger's name comes before baton_append, so that a refused message draws no position.
CREATE OR REPLACE FUNCTION ${schema}.make_outbox(log_name text, new_limit integer DEFAULT 1000000) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
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
