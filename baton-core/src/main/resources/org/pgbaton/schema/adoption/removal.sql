-- Run by every migration and at the end of every step of an adoption, under the lock of the migrations. Removes what was made for tables
-- that are not adopted any more, and the functions of functions.sql if no table is adopted. The program fills in their names.
DO $removal$
DECLARE
  unused text;
BEGIN
  -- Programs up to step 13 adopt without that lock. One that has begun is waited for; one that begins now finds no function, and fails.
  LOCK TABLE ${schema}.adoption IN SHARE ROW EXCLUSIVE MODE;

  -- PostgreSQL tells nobody that a table was dropped. Its adoption has ended with it; but messages that still wait are kept.
  WITH ended AS (
    DELETE FROM ${schema}.adoption a
     WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = a.relation)
       AND NOT EXISTS (SELECT FROM ${schema}.adoption_waiting w WHERE w.relation = a.relation AND w.id IS NOT NULL)
    RETURNING a.relation, a.log
  ), forgotten AS (
    DELETE FROM ${schema}.adoption_waiting w USING ended WHERE w.relation = ended.relation
  )
  INSERT INTO ${schema}.action (who, what, subject, reason, detail)
    SELECT current_user, 'gave back', 'table ' || ended.relation::oid || ', log ' || ended.log, 'the table was dropped', NULL FROM ended;

  -- The triggers went with the table, their functions did not.
  SELECT string_agg(p.oid::regprocedure::text, ', ') INTO unused
    FROM pg_proc p
   WHERE p.pronamespace = '${schema}'::regnamespace
     AND (p.proname ~ '^adopted_[0-9a-f]+_(take|hand_on)$' AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgfoid = p.oid)
       OR p.proname IN (${functions})
          AND NOT EXISTS (SELECT FROM ${schema}.adoption a JOIN pg_class c ON c.oid = a.relation));
  IF unused IS NOT NULL THEN
    EXECUTE 'DROP FUNCTION ' || unused;
  END IF;
END
$removal$;
