-- The inbox of receivers.

-- Refuses a caller that does not own the inbox. An inbox belongs to the role that used it first, and to that role's
-- members. Members of the schema's owner may use every inbox.
CREATE OR REPLACE FUNCTION ${schema}.require_receiver(receiver text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  me    text := ${schema}.caller();
  whose text;
BEGIN
  SELECT r.role INTO whose FROM ${schema}.inbox_receiver r WHERE r.inbox = receiver;
  IF whose = me OR pg_has_role(me, (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = '${name}'), 'MEMBER') THEN
    RETURN;
  END IF;
  IF whose IS NULL THEN
    INSERT INTO ${schema}.inbox_receiver (inbox, role) VALUES (receiver, me) ON CONFLICT DO NOTHING;
    SELECT r.role INTO whose FROM ${schema}.inbox_receiver r WHERE r.inbox = receiver;
  END IF;
  IF whose <> me AND NOT EXISTS (SELECT FROM pg_roles o WHERE o.rolname = whose AND pg_has_role(me, o.oid, 'MEMBER')) THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
      MESSAGE = format('permission denied for inbox %s: it belongs to %s, and %s is not a member of that role', quote_literal(receiver), whose, me),
      HINT = format('Use another inbox, or let the owner of the schema give it to a role of both: UPDATE ${schema}.inbox_receiver SET role = ''…'' WHERE inbox = %L.', receiver);
  END IF;
END
$function$;

-- Whether this receiver gets the message for the first time; true once. Call it in the transaction that does the
-- message's work: if the transaction rolls back, the next delivery is the first. If two transactions call it for one
-- message, the second waits for the end of the first. With key and epoch: a sender whose epoch of the key is older than
-- one that was seen before has lost the key's lane, and is refused. The epoch is checked first, because an id that was
-- recorded and then refused would make the rightful copy look like a duplicate.
CREATE OR REPLACE FUNCTION ${schema}.first_time(receiver text, message uuid, message_key text DEFAULT NULL, message_epoch bigint DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  latest bigint;
BEGIN
  PERFORM ${schema}.require_receiver(receiver);
  IF message_epoch IS NOT NULL THEN
    INSERT INTO ${schema}.inbox_epoch AS e (inbox, key, epoch) VALUES (receiver, message_key, message_epoch)
      ON CONFLICT (inbox, key) DO UPDATE SET epoch = excluded.epoch, since = excluded.since WHERE e.epoch < excluded.epoch;
    IF NOT FOUND THEN  -- the row is locked by now, and stays as it is
      SELECT e.epoch INTO latest FROM ${schema}.inbox_epoch e
        WHERE e.inbox = receiver AND e.key = message_key;
      IF latest > message_epoch THEN
        IF EXISTS (SELECT FROM ${schema}.inbox i
                    WHERE i.inbox = receiver AND i.id = message) THEN
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
REVOKE ALL ON FUNCTION ${schema}.first_time(text, uuid, text, bigint) FROM PUBLIC;

-- Forgets older ids and epochs, at most the given number of each; 0 means that nothing is left to do.
CREATE OR REPLACE FUNCTION ${schema}.forget_received(receiver text, older_than interval, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  n integer;
  m integer;
BEGIN
  PERFORM ${schema}.require_receiver(receiver);
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
REVOKE ALL ON FUNCTION ${schema}.forget_received(text, interval, integer) FROM PUBLIC;
