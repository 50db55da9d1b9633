-- Roles for Baton's schema ${schema}. Run it after 'baton migrate', in the database that holds the schema, so that it stops at
-- the first error and then has changed nothing:
--
--   baton migrate --print-roles | psql -X -v ON_ERROR_STOP=1 --single-transaction -d DATABASE
--
-- Who must run it: a superuser; or a role with CREATEROLE that owns the schema and may CREATE in the database. It can be run
-- again at any time.
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
  wanted  text;
  maker   pg_roles := (SELECT r FROM pg_roles r WHERE r.rolname = current_user);
  missing boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${name}') THEN
    RAISE EXCEPTION 'There is no schema ${name} in this database: run ''baton migrate'' first, and this script in the same database.';
  END IF;
  SELECT bool_or(NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${prefix}_' || kind)) INTO missing
    FROM unnest(ARRAY['owner', 'append', 'worker', 'read']) AS kind;
  IF NOT maker.rolsuper AND (missing AND NOT maker.rolcreaterole
       OR NOT pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = '${name}'), 'MEMBER')) THEN
    RAISE EXCEPTION 'The role % cannot do this: run the script as a superuser, or as a role with CREATEROLE that owns the schema ${name}.',
      current_user;
  END IF;
  FOREACH wanted IN ARRAY ARRAY['${prefix}_owner', '${prefix}_append', '${prefix}_worker', '${prefix}_read'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      -- Only who may act as a role can give something to it.
      IF wanted = '${prefix}_owner' AND NOT maker.rolsuper THEN
        EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
      END IF;
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
