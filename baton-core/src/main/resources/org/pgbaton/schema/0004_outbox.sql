-- The outbox: what may be sent; the inbox of receivers; moving in from a table with a status column.
-- compatible-from: 1

ALTER TABLE ${schema}.log ADD COLUMN payload_limit integer CHECK (payload_limit BETWEEN 1 AND 100000000);
COMMENT ON COLUMN ${schema}.log.payload_limit IS
  'Of an outbox: the largest payload in bytes. Null: not an outbox, anything may be written.';

-- ---- The inbox of receivers

-- Which messages a receiver has had. Written in the receiver's own transaction.
CREATE TABLE ${schema}.inbox (
  inbox       text NOT NULL,
  id          uuid NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000);
CREATE INDEX inbox_age ON ${schema}.inbox (inbox, received_at);

COMMENT ON TABLE ${schema}.inbox IS 'Baton: the ids of messages that a receiver has had.';

-- The highest epoch that came with each key, and since when.
CREATE TABLE ${schema}.inbox_epoch (
  inbox text   NOT NULL,
  key   text   NOT NULL,
  epoch bigint NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX inbox_epoch_age ON ${schema}.inbox_epoch (inbox, since);

COMMENT ON TABLE ${schema}.inbox_epoch IS 'Baton: the highest epoch that a receiver has seen of each key.';

-- ---- Moving in: adopting a table with a status column
--
-- The old relay sends rows whose status is one of `pending`. What must not happen: a row sent by both, by neither, or a later row of
-- a key by one while an earlier one is still with the other. So every row belongs to one side from its insertion on:
--
--   draining   Inserted rows get the status `taken`, which the old relay does not know, and wait in adoption_waiting. The lock under which
--              the triggers are made lets no writer straddle that moment. The old relay sends what it has.
--   adopted    When it has nothing left, what waits goes into the log, in the order of insertion, under the same lock; from then on
--              inserted rows go into the log at once. Relays of the log may run all the time: they see nothing before.
--   returning  The way back: inserted rows wait again, until the log's relays have sent what is in the log. Then they become pending.
--
-- Each step is one transaction; between two of them nothing is lost, whoever dies.
CREATE TABLE ${schema}.adoption (
  relation       regclass PRIMARY KEY,
  log            text   NOT NULL REFERENCES ${schema}.log (name),
  state          text   NOT NULL CHECK (state IN ('draining', 'adopted', 'returning')),
  id_column      text   NOT NULL,
  key_column     text,             -- null: unordered
  topic_column   text,
  fixed_topic    text,
  type_column    text,
  headers_column text,
  payload_column text   NOT NULL,
  status_column  text   NOT NULL,
  pending        text[] NOT NULL CHECK (cardinality(pending) > 0),
  taken          text   NOT NULL CHECK (taken <> ALL (pending)),
  upto           bigint,           -- while returning: what the relays must have sent
  since          timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (num_nonnulls(topic_column, fixed_topic) = 1)
);

COMMENT ON TABLE ${schema}.adoption IS 'Baton: tables with a status column whose new rows go into a log.';

-- Rows of adopted tables that wait for the other side; made into messages already, unless they are on their way back.
CREATE TABLE ${schema}.adoption_waiting (
  n         bigint GENERATED ALWAYS AS IDENTITY,
  relation  oid    NOT NULL,
  source_id text   NOT NULL,
  id        uuid,
  topic     text,
  key       text,
  type      text,
  headers   json,
  payload   json,
  data      bytea,
  PRIMARY KEY (relation, n)
);

COMMENT ON TABLE ${schema}.adoption_waiting IS 'Baton: rows of adopted tables that wait until the other relay is done.';
