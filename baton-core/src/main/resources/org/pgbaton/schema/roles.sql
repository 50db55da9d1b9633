-- Roles for Baton's schema ${schema}. Run it as a role that may create roles, in the database that holds the schema,
-- after 'baton migrate'. It can be run again at any time.
--
--   ${prefix}_owner        owns the schema and migrates it; no login, grant it to whoever deploys
--   ${prefix}_append       applications that only write to logs, and receive through an inbox
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

-- From now on the owner owns everything that Baton's migrations made. Later migrations are run by members of that role.
ALTER SCHEMA ${schema} OWNER TO "${prefix}_owner";
SELECT ${schema}.give_to_owner();

-- grant_roles() defines what each role may do; migrations call it as well. See also docs/operations.md.
GRANT USAGE ON SCHEMA ${schema} TO "${prefix}_append", "${prefix}_worker", "${prefix}_read";
SELECT ${schema}.grant_roles();
