-- Run last in every migration. A new database gets its two logs; existing logs and adopted tables get the current
-- triggers.
DO $settle$
DECLARE
  a ${schema}.adoption;
BEGIN
  IF NOT EXISTS (SELECT FROM ${schema}.log) THEN
    PERFORM ${schema}.create_log('events');
    PERFORM ${schema}.create_log('outbox');
    PERFORM ${schema}.make_outbox('outbox');
  END IF;
  PERFORM ${schema}.make_append(l.name) FROM ${schema}.log l;
  -- Tables whose triggers still have OIDs in their text. The table belongs to somebody else, and we may not be allowed
  -- to change it; then it stays as it is.
  FOR a IN SELECT * FROM ${schema}.adoption
            WHERE EXISTS (SELECT FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid
                           WHERE t.tgrelid = relation AND t.tgname = 'zz_baton_take' AND f.proname ~ '^adopted_[0-9]+_take$') LOOP
    BEGIN
      PERFORM ${schema}.lock_briefly(a.relation, 'SHARE ROW EXCLUSIVE');
      PERFORM ${schema}.make_adoption_triggers(a);
    EXCEPTION WHEN insufficient_privilege OR lock_not_available THEN
      RAISE WARNING 'the triggers of the adopted table % are those of an older version: migrate again as its owner', a.relation;
    END;
  END LOOP;
  PERFORM ${schema}.give_to_owner();
  PERFORM ${schema}.grant_roles();
END
$settle$;
