-- Run last in every migration. A new database gets its two logs; existing logs get the current triggers.
DO $settle$
BEGIN
  IF NOT EXISTS (SELECT FROM ${schema}.log) THEN
    PERFORM ${schema}.create_log('events');
    PERFORM ${schema}.create_log('outbox');
    PERFORM ${schema}.make_outbox('outbox');
  END IF;
  PERFORM ${schema}.make_append(l.name) FROM ${schema}.log l;
  PERFORM ${schema}.give_to_owner();
  PERFORM ${schema}.grant_roles();
END
$settle$;
