-- Subscriptions: named readers of a log, each with a checkpoint and an epoch for every lane.
-- compatible-from: 1

-- One row for each subscription and target. Almost always there is one target, the live one; while a projection is rebuilt
-- beside the live one, there are two.
CREATE TABLE ${schema}.subscription (
  id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  target     text    NOT NULL DEFAULT '' CHECK (length(target) <= 200),
  log        text    NOT NULL REFERENCES ${schema}.log (name),
  ordering   text    NOT NULL CHECK (ordering IN ('key', 'total')),
  state      text    NOT NULL CHECK (state IN ('new', 'running', 'paused', 'stopped', 'retired')),
  live       boolean NOT NULL DEFAULT true,
  generation bigint  NOT NULL DEFAULT 1,     -- grows with every rewind
  note       text,                           -- why it stopped or was paused
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (name, target)
);
CREATE UNIQUE INDEX subscription_live ON ${schema}.subscription (name) WHERE live;

COMMENT ON TABLE ${schema}.subscription IS 'Baton: one row for each subscription (and each target of it).';

-- How far each lane has been processed, and under which epoch. A subscription in total order has one row, with lane -1.
-- The row's number is its ownership lock: (checkpoint, id), held by the session of the owner.
CREATE TABLE ${schema}.checkpoint (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription integer NOT NULL REFERENCES ${schema}.subscription (id),
  lane         integer NOT NULL,
  position     bigint  NOT NULL,
  epoch        bigint  NOT NULL DEFAULT 0,
  timeline     text    NOT NULL DEFAULT 'none',
  owner        text,
  owned_since  timestamptz,
  advanced_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (subscription, lane)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE ${schema}.checkpoint IS 'Baton: position and epoch of every lane of every subscription.';

-- A process that joins a subscription writes one row and holds the lock (member, number) for as long as it lives.
CREATE TABLE ${schema}.member (
  number       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription integer NOT NULL REFERENCES ${schema}.subscription (id) ON DELETE CASCADE,
  who          text    NOT NULL,
  joined_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE ${schema}.member IS 'Baton: who takes part in which subscription; alive while the lock (member, number) is held.';

-- A key whose head message failed or is slow. Its messages wait below, in order; all other keys go on.
CREATE TABLE ${schema}.parked (
  id              bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription    integer NOT NULL REFERENCES ${schema}.subscription (id),
  checkpoint      integer NOT NULL REFERENCES ${schema}.checkpoint (id),
  key             text    NOT NULL,
  state           text    NOT NULL CHECK (state IN ('retrying', 'slow', 'parked')),
  attempts        integer NOT NULL,
  error           text,
  since           timestamptz NOT NULL DEFAULT clock_timestamp(),
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (subscription, key)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX parked_checkpoint ON ${schema}.parked (checkpoint);

COMMENT ON TABLE ${schema}.parked IS 'Baton: keys that wait, and why.';

CREATE TABLE ${schema}.parked_message (
  parked   bigint NOT NULL REFERENCES ${schema}.parked (id),
  position bigint NOT NULL,
  log      text   NOT NULL,
  PRIMARY KEY (parked, position)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX parked_message_log ON ${schema}.parked_message (log, position);

COMMENT ON TABLE ${schema}.parked_message IS 'Baton: the messages of parked keys that were passed over, in order.';
