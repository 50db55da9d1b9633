-- What a migration does when a table is adopted, after functions.sql: an adopted table whose triggers still have OIDs in their text gets
-- those of today. The table is somebody else's, and may not be ours to change: then it stays as it is.
DO $renewal$
DECLARE
  a ${schema}.adoption;
BEGIN
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
END
$renewal$;
