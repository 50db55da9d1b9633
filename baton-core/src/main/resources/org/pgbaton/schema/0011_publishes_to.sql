-- Where a relay publishes, as its processes were configured: two that differ must not share a name.
-- compatible-from: 1

ALTER TABLE ${schema}.subscription ADD COLUMN publishes_to text;

COMMENT ON COLUMN ${schema}.subscription.publishes_to IS
  'Baton: where the relay publishes, for people, without secrets; null if it is no relay, or was last started by an older program.';
