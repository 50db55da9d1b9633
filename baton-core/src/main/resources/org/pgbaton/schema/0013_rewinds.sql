-- What a target has of a subscription that was rewound still counts, up to where it was rewound to.
-- compatible-from: 1

SELECT ${schema}.lock_briefly('${schema}.subscription', 'ACCESS EXCLUSIVE');
ALTER TABLE ${schema}.subscription ADD COLUMN rewinds bigint[] NOT NULL DEFAULT '{}';

COMMENT ON COLUMN ${schema}.subscription.rewinds IS
  'Baton: by generation, the position it was rewound to when that generation began; null if an older program did it.';
