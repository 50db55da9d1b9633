-- Functions and views have one living definition each, in routines/, applied after the steps of every migration. From here on nothing in
-- them is looked up along the caller's search_path. Epochs come from one sequence. Roles may do what they are for, and no more.
-- compatible-from: 1

-- ---- Epochs grow over everything this database ever handed out.

CREATE SEQUENCE ${schema}.epoch AS bigint CACHE 1 NO CYCLE;
COMMENT ON SEQUENCE ${schema}.epoch IS 'Baton: the epochs of all leaderships and lanes.';

-- Where in the history of the database the last epoch was given out. One row.
CREATE TABLE ${schema}.epoch_history (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  timeline text NOT NULL
);
INSERT INTO ${schema}.epoch_history (timeline) VALUES ('none');
COMMENT ON TABLE ${schema}.epoch_history IS 'Baton: identity and timeline of the database when the last epoch was given out.';

-- Above every epoch in the database. What was deleted before may have been higher than what is left: so a jump, unless the database is new.
SELECT setval('${schema}.epoch', ((e.highest >> 32) + 1) << 32, false)
  FROM (SELECT greatest((SELECT max(l.epoch) FROM ${schema}.leadership l), (SELECT max(c.epoch) FROM ${schema}.checkpoint c),
                        (SELECT max(i.epoch) FROM ${schema}.inbox_epoch i)) AS highest) e
 WHERE e.highest IS NOT NULL;

-- ---- Whose locks they are

ALTER TABLE ${schema}.checkpoint ADD COLUMN owner_pid integer;  -- null: taken by a program that did not tell
ALTER TABLE ${schema}.member ADD COLUMN pid integer;

-- ---- Who did it

SELECT ${schema}.lock_briefly('${schema}.action', 'ACCESS EXCLUSIVE');
ALTER TABLE ${schema}.action ADD COLUMN by_user text;
COMMENT ON COLUMN ${schema}.action.by_user IS 'The user of the session, whatever name it gave.';

-- ---- Who may

-- The logs of captures are written by workers alone.
SELECT ${schema}.lock_briefly('${schema}.log', 'ACCESS EXCLUSIVE');
ALTER TABLE ${schema}.log ADD COLUMN writers text NOT NULL DEFAULT 'append' CHECK (writers IN ('append', 'worker'));
UPDATE ${schema}.log l SET writers = 'worker'
 WHERE l.name NOT IN ('events', 'outbox') AND EXISTS (SELECT FROM ${schema}.capture c WHERE c.log = l.name);

-- Whose inbox it is: the role that used it first. Members of the owner may use every inbox, and own none.
CREATE TABLE ${schema}.inbox_receiver (
  inbox text PRIMARY KEY,
  role  text NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE ${schema}.inbox_receiver IS 'Baton: which role an inbox belongs to.';
