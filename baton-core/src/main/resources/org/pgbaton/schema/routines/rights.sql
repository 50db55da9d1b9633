-- The rights of the roles. Called by the script that makes the roles, and after every migration.

-- Grants the rights of the roles that may use this schema; the script gives them that right first. All rights are
-- revoked and granted again, so that a role never keeps a right of an earlier version.
CREATE OR REPLACE FUNCTION ${schema}.grant_roles() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  kind  text;
  granted text;
BEGIN
  FOREACH kind IN ARRAY ARRAY['append', 'worker', 'read'] LOOP
    granted := '${name}_' || kind;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = granted AND has_schema_privilege(oid, '${name}', 'USAGE')) THEN
      CONTINUE;
    END IF;
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM %1$I; REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${schema} FROM %1$I;
                    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM %1$I', granted);
    -- Everybody may see which step the schema is at.
    EXECUTE format('GRANT SELECT ON ${schema}.migration, ${schema}.log TO %I', granted);
    -- Workers and readers may see everything. Baton's tables hold no secrets except those that applications put into
    -- messages.
    IF kind IN ('worker', 'read') THEN
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO %1$I; GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO %1$I', granted);
    END IF;
    -- Receivers record the messages that they have received, and forget them; each receiver in inboxes of its own.
    IF kind IN ('append', 'worker') THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION ${schema}.first_time(text, uuid, text, bigint),
                      ${schema}.forget_received(text, interval, integer) TO %I', granted);
    END IF;
    -- Leading, running what is due, subscribing, capturing; and retention, which removes only old rows that every subscription has passed.
    -- Only the owner redacts.
    IF kind = 'worker' THEN
      EXECUTE format('GRANT INSERT, UPDATE ON ${schema}.leadership, ${schema}.schedule TO %1$I;
        GRANT INSERT, UPDATE, DELETE ON ${schema}.schedule_run TO %1$I;
        GRANT INSERT, UPDATE, DELETE ON ${schema}.capture, ${schema}.capture_snapshot, ${schema}.capture_basis, ${schema}.capture_gap,
          ${schema}.subscription, ${schema}.checkpoint,
          ${schema}.member, ${schema}.parked, ${schema}.parked_message TO %1$I;
        GRANT INSERT (who, what, subject, reason, detail) ON ${schema}.action TO %1$I;
        GRANT EXECUTE ON FUNCTION ${schema}.guard(text, bigint, interval), ${schema}.next_epoch(text, bigint),
          ${schema}.delete_leadership(text),
          ${schema}.retain_aged(text, integer), ${schema}.pin_log(text) TO %1$I', granted);
    END IF;
  END LOOP;
  PERFORM ${schema}.grant_log(l.relation, l.sequence) FROM ${schema}.log l;
END
$function$;

-- Gives everything that a migration made to the owner of the schema, whichever member of that role migrated.
CREATE OR REPLACE FUNCTION ${schema}.give_to_owner() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  owner   oid := (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = '${name}');
  command text;
BEGIN
  FOR command IN
    SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, pg_get_userbyid(owner))
      FROM pg_class c
     WHERE c.relnamespace = '${schema}'::regnamespace AND c.relowner <> owner AND c.relkind IN ('r', 'v')
    UNION ALL  -- the sequences of logs; those of identity columns go with their tables
    SELECT format('ALTER SEQUENCE %s OWNER TO %I', c.oid::regclass, pg_get_userbyid(owner))
      FROM pg_class c
     WHERE c.relnamespace = '${schema}'::regnamespace AND c.relowner <> owner AND c.relkind = 'S'
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
    UNION ALL
    SELECT format('ALTER FUNCTION %s OWNER TO %I', p.oid::regprocedure, pg_get_userbyid(owner))
      FROM pg_proc p WHERE p.pronamespace = '${schema}'::regnamespace AND p.proowner <> owner
  LOOP
    EXECUTE command;
  END LOOP;
END
$function$;
