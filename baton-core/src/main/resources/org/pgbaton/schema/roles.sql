-- Roles for Baton's schema ${schema}. Run it as a role that may create roles, in the database that holds the schema, after
-- 'baton migrate'; run it again after later migrations. It changes nothing that is already so.
--
--   ${prefix}_owner        owns the schema and migrates it; no login, grant it to whoever deploys
--   ${prefix}_append       applications that only write to logs, receive through an inbox, and guard their own transactions
--   ${prefix}_worker       processes that lead, subscribe and publish
--   ${prefix}_read         dashboards and people who look
--   ${prefix}_replication  the login that captures row changes (needs REPLICATION)
--
-- Give logins their rights with:  GRANT ${prefix}_worker TO my_service;

DO $roles$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['${prefix}_owner', '${prefix}_append', '${prefix}_worker', '${prefix}_read'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
    END IF;
  END LOOP;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${prefix}_replication') THEN
    BEGIN
      CREATE ROLE "${prefix}_replication" NOLOGIN REPLICATION;
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE NOTICE 'The role ${prefix}_replication was not created: that needs a superuser or a role with REPLICATION. Only captures use it.';
    END;
  END IF;
END
$roles$;

-- Everything that Baton's migrations made belongs to the owner from now on; whoever migrates next does it as a member of that role.
DO $owner$
DECLARE
  command text;
BEGIN
  FOR command IN
    SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, '${prefix}_owner')
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${prefix}' AND c.relkind IN ('r', 'v')
    UNION ALL  -- the sequences of logs; those of identity columns go with their tables
    SELECT format('ALTER SEQUENCE %s OWNER TO %I', c.oid::regclass, '${prefix}_owner')
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${prefix}' AND c.relkind = 'S'
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
    UNION ALL
    SELECT format('ALTER FUNCTION %s OWNER TO %I', p.oid::regprocedure, '${prefix}_owner')
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = '${prefix}'
  LOOP
    EXECUTE command;
  END LOOP;
END
$owner$;
ALTER SCHEMA ${schema} OWNER TO "${prefix}_owner";

GRANT USAGE ON SCHEMA ${schema} TO "${prefix}_append", "${prefix}_worker", "${prefix}_read";

-- Everybody may see which step the schema is at and call its functions; each function needs its caller's rights, except
-- guard(), which only takes a share lock on one row.
GRANT SELECT ON ${schema}.migration TO "${prefix}_append", "${prefix}_worker", "${prefix}_read";

GRANT SELECT, INSERT, UPDATE ON ${schema}.leadership TO "${prefix}_worker";
GRANT SELECT ON ${schema}.leadership, ${schema}.leader_status TO "${prefix}_read", "${prefix}_worker";

-- Logs. Appending needs to read as well: the answer has the position, and an id that is there already is recognised.
DO $logs$
BEGIN
  PERFORM ${schema}.grant_log(relation, sequence) FROM ${schema}.log;
END
$logs$;
GRANT SELECT ON ${schema}.log TO "${prefix}_append";

-- Whoever works or looks may see everything; Baton's tables hold no secrets but what applications put into messages.
GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO "${prefix}_worker", "${prefix}_read";
GRANT SELECT ON SEQUENCE ${schema}.action_id_seq TO "${prefix}_worker", "${prefix}_read";

-- Subscriptions, and retention, which by itself removes only what everybody has passed. Redaction is the owner's.
GRANT INSERT, UPDATE, DELETE ON ${schema}.capture, ${schema}.subscription, ${schema}.checkpoint, ${schema}.member, ${schema}.parked,
  ${schema}.parked_message TO "${prefix}_worker";
GRANT INSERT ON ${schema}.action TO "${prefix}_worker";
GRANT INSERT, UPDATE, DELETE ON ${schema}.capture_basis, ${schema}.capture_gap TO "${prefix}_worker";

-- Receivers remember what they have had, and forget it.
GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.inbox, ${schema}.inbox_epoch TO "${prefix}_append", "${prefix}_worker";
GRANT EXECUTE ON FUNCTION ${schema}.retain(regclass, bigint), ${schema}.retain_aged(text, integer),
  ${schema}.pin_log(text) TO "${prefix}_worker";
