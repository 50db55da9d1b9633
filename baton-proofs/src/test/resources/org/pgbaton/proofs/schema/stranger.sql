-- Objects that a user with CREATE on the schema public can leave there. Each of them draws a number when it is run,
-- which no rollback takes back.
CREATE SEQUENCE public.hit;
CREATE TABLE public.loot (who pg_catalog.text, what pg_catalog.text);
GRANT ALL ON SEQUENCE public.hit TO PUBLIC;
GRANT ALL ON TABLE public.loot TO PUBLIC;
CREATE FUNCTION public.hit(what pg_catalog.text) RETURNS boolean LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM pg_catalog.nextval('public.hit');
  INSERT INTO public.loot VALUES (current_user, what);
  RETURN true;
END
$f$;

-- Types with the names of PostgreSQL's own, for paths in which public comes first.
DO $d$
DECLARE
  t pg_catalog.text;
BEGIN
  FOREACH t IN ARRAY ARRAY['text', 'uuid', 'json', 'oid', 'regclass', 'bytea', 'timestamptz', 'int4', 'int8'] LOOP
    EXECUTE pg_catalog.format('CREATE DOMAIN public.%1$I AS pg_catalog.%1$I CHECK (public.hit(%2$L))', t, 'type ' || t);
  END LOOP;
END
$d$;

-- Operators that fit better than PostgreSQL's own, for operands of two types; and operators with the same operands, for
-- paths in which public comes first.
DO $d$
DECLARE
  types pg_catalog.text[] := ARRAY['text', 'varchar', 'name', 'int2', 'int4', 'int8', 'oid', 'regclass', 'float8', 'interval', 'timestamptz',
                                   'xid8'];
  l pg_catalog.text;
  r pg_catalog.text;
  o pg_catalog.text;
  answer pg_catalog.text;
BEGIN
  FOREACH l IN ARRAY types LOOP
    FOREACH r IN ARRAY types LOOP
      FOREACH answer IN ARRAY ARRAY['bool', 'text', 'int8'] LOOP
        EXECUTE pg_catalog.format('CREATE FUNCTION public.op_%1$s(pg_catalog.%2$I, pg_catalog.%3$I) RETURNS pg_catalog.%4$I LANGUAGE plpgsql AS %5$L',
          answer, l, r, answer, pg_catalog.format('BEGIN PERFORM public.hit(%L); RETURN NULL; END', 'operator of ' || l || ' and ' || r));
      END LOOP;
      FOREACH o IN ARRAY ARRAY['=', '<>', '<', '>', '<=', '>=', '~', '!~', '||', '+', '-', '*', '%', '&', '|', '<<', '>>'] LOOP
        EXECUTE pg_catalog.format('CREATE OPERATOR public.%s (LEFTARG = pg_catalog.%I, RIGHTARG = pg_catalog.%I, FUNCTION = public.op_%s)', o, l, r,
          CASE WHEN o IN ('=', '<>', '<', '>', '<=', '>=', '~', '!~') THEN 'bool' WHEN o = '||' THEN 'text' ELSE 'int8' END);
      END LOOP;
    END LOOP;
  END LOOP;
END
$d$;

-- Functions with the names that we call: with arguments that fit better, and with the same arguments.
DO $d$
DECLARE
  f record;
BEGIN
  FOR f IN
    WITH named AS (
      SELECT DISTINCT p.proname FROM pg_catalog.pg_proc p
       WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.prokind IN ('f', 'a')
         AND EXISTS (SELECT FROM pg_catalog.pg_proc o WHERE o.pronamespace = 'baton'::pg_catalog.regnamespace
                      AND o.prosrc ~ ('\m' || p.proname || '\s*\('))
    ), same AS (
      SELECT p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid) AS arguments,
             CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END || pg_catalog.format_type(p.prorettype, NULL) AS result
        FROM pg_catalog.pg_proc p JOIN named n USING (proname)
       WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.prokind = 'f' AND p.proargmodes IS NULL
         AND NOT EXISTS (SELECT FROM pg_catalog.unnest(p.proargtypes) AS a JOIN pg_catalog.pg_type t ON t.oid = a WHERE t.typtype = 'p' AND t.typname NOT LIKE 'any%' OR t.typname = 'any')
         AND NOT EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.oid = p.prorettype AND t.typtype = 'p' AND t.typname NOT IN ('void', 'anyelement', 'anyarray'))
    ), better AS (
      SELECT n.proname, pg_catalog.concat_ws(', ', 'pg_catalog.' || a, 'pg_catalog.' || b) AS arguments, 'pg_catalog.text' AS result
        FROM named n,
             pg_catalog.unnest(ARRAY['text', 'varchar', 'name', 'int4', 'int8', 'oid', 'regclass', 'bool', '"char"', '_text', '_int4', '_int8', '_uuid']) AS a,
             pg_catalog.unnest(ARRAY[NULL, 'text', 'varchar', 'name', 'int4', 'int8', 'oid', 'bool']) AS b
    )
    SELECT * FROM same UNION ALL SELECT * FROM better
  LOOP
    BEGIN
      EXECUTE pg_catalog.format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname, f.arguments, f.result,
        pg_catalog.format('BEGIN PERFORM public.hit(%L); %s END', f.proname || '(' || f.arguments || ')',
                          CASE WHEN f.result = 'void' OR f.result LIKE 'SETOF %' THEN 'RETURN;' ELSE 'RETURN NULL;' END));
    EXCEPTION WHEN duplicate_function THEN
      NULL;
    END;
  END LOOP;
END
$d$;
