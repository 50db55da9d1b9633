-- For relays that publish in transactions of their target: messages that are passed over are recorded beforehand.

-- Sets keys aside and records their messages before a transaction of the target passes over them; if that transaction
-- fails, this happens again. A key that was about to flow again and has failed is set aside anew. Called after
-- fence_work, under the checkpoint's lock. The commit is durable, because a crash of the server must not undo it once
-- the target has passed over the messages. Returns how many of the messages belong to keys that are set aside.
CREATE OR REPLACE FUNCTION ${schema}.set_aside(subscription_id integer, log_name text, checkpoint_id integer, keys text[], states text[],
  failures text[], waits_ms bigint[], passed_keys text[], positions bigint[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  INSERT INTO ${schema}.parked (subscription, checkpoint, key, state, attempts, error, next_attempt_at)
  SELECT subscription_id, checkpoint_id, p.key, p.state, CASE WHEN p.state = 'slow' THEN 0 ELSE 1 END, p.failure,
         clock_timestamp() + p.wait_ms * interval '1 ms'
    FROM unnest(keys, states, failures, waits_ms) AS p (key, state, failure, wait_ms)
  ON CONFLICT (subscription, key) DO UPDATE
    SET state = excluded.state, attempts = excluded.attempts, error = excluded.error, next_attempt_at = excluded.next_attempt_at;
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
