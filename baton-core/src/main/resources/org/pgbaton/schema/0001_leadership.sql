-- Leadership: who leads what, under which epoch.
-- compatible-from: 1

-- One row for each leadership: the registry of its advisory key, and its epoch.
CREATE TABLE ${schema}.leadership (
  id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name            text    NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
  key             bigint  NOT NULL UNIQUE,  -- two names that hash to one key are an error, not a surprise
  epoch           bigint  NOT NULL DEFAULT 0,
  timeline        text    NOT NULL DEFAULT 'none',
  holder          text,
  backend_pid     integer,
  since           timestamptz,
  released_at     timestamptz,              -- set only by a holder that left in good order
  vacant_for      interval,                 -- from that release to the next holder
  previous_holder text,
  changes         bigint  NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

COMMENT ON TABLE ${schema}.leadership IS 'Baton: one row for each leadership, with its advisory key and epoch.';
