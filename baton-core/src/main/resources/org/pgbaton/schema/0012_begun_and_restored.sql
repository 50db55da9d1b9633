-- What a subscription has not begun yet survives a pause, and what waits in an adoption survives a dump and a restore.
-- compatible-from: 1

-- Whether its checkpoints are where it is to begin. The state cannot tell: a subscription may be paused before it has begun.
SELECT ${schema}.lock_briefly('${schema}.subscription', 'ACCESS EXCLUSIVE');
ALTER TABLE ${schema}.subscription ADD COLUMN begun boolean NOT NULL DEFAULT true;
UPDATE ${schema}.subscription SET begun = false WHERE state = 'new';

-- By name: an OID means nothing in a database that was restored. If that has happened already, and there is one adoption, it is known which one
-- was meant.
SELECT ${schema}.lock_briefly('${schema}.adoption_waiting', 'ACCESS EXCLUSIVE');
UPDATE ${schema}.adoption_waiting w SET relation = (SELECT a.relation::oid FROM ${schema}.adoption a)
 WHERE NOT EXISTS (SELECT FROM ${schema}.adoption a WHERE a.relation::oid = w.relation)
   AND (SELECT count(*) FROM ${schema}.adoption) = 1;
ALTER TABLE ${schema}.adoption_waiting ALTER COLUMN relation TYPE regclass USING relation::regclass;
