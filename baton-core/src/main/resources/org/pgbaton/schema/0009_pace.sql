-- Pace: how often a job runs. What a leadership's row remembers of its runs.
-- compatible-from: 1

ALTER TABLE ${schema}.leadership
  ADD COLUMN ran_at    timestamptz,  -- start of the last run that ended well
  ADD COLUMN ran_by    text,
  ADD COLUMN rest_from timestamptz,  -- start of the last run that nobody may follow at once
  ADD COLUMN rest_for  interval,
  ADD COLUMN rest_by   text;
