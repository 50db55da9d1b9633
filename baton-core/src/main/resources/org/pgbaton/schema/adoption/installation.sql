-- Run at the beginning of every step of an adoption, under the lock of the migrations. The program fills in functions.sql and the number of
-- its newest step. A program never puts its functions over those of a newer one; those work for it, as the newer schema does.
DO $installation$
BEGIN
  IF (SELECT max(number) FROM ${schema}.migration) > ${newest}
     AND EXISTS (SELECT FROM ${schema}.adoption a JOIN pg_class c ON c.oid = a.relation) THEN
    RETURN;
  END IF;

${functions}
  PERFORM ${schema}.give_to_owner();
END
$installation$;
