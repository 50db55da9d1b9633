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

-- Makes an outbox of a log, or changes its limit: from now on its trigger refuses a message that could never be published.
CREATE OR REPLACE FUNCTION ${schema}.make_outbox(log_name text, new_limit integer DEFAULT 1000000) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
BEGIN
  UPDATE ${schema}.log SET payload_limit = new_limit WHERE name = log_name;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no log %', quote_literal(log_name);
  END IF;
  PERFORM ${schema}.make_append(log_name);
END
$make$;
