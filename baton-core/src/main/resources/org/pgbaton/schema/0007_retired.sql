-- Lanes of a target that was replaced are given to nobody any more.
-- compatible-from: 1

-- As before, but not for a lane that was fenced for good. That stands in the lane's own row, because this waits for whoever fences it:
-- after a wait PostgreSQL looks again at the row it waited for, and at nothing else.
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
