-- The trigger of a log refuses bad rows itself. Constraints, and the condition of the trigger of an outbox, cost every statement the
-- parsing of their text.
-- compatible-from: 1

DO $rows$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT l.name, l.relation FROM ${schema}.log l LOOP
    PERFORM ${schema}.lock_briefly(one.relation, 'ACCESS EXCLUSIVE');
    EXECUTE format('DROP TRIGGER IF EXISTS baton_admit ON %s', one.relation);
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I, DROP CONSTRAINT IF EXISTS %I, DROP CONSTRAINT IF EXISTS %I', one.relation,
                   one.name || '_version_check', one.name || '_key_has_at_most_1000_bytes', one.name || '_has_either_payload_or_data');
  END LOOP;
  IF to_regprocedure('${schema}.refuse_message()') IS NOT NULL THEN -- a new database never had it
    DROP FUNCTION ${schema}.refuse_message();
  END IF;
END
$rows$;
