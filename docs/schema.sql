-- The tables of Baton's schema, as all migrations together make them. For readers: nothing reads this file.
-- The steps are in baton-core/src/main/resources/org/pgbaton/schema, functions and views in the folder routines there.
-- The tables of logs (events, outbox) are made by the function create_log.

CREATE TABLE baton.action (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  who text NOT NULL,
  what text NOT NULL,
  subject text NOT NULL,
  reason text,
  detail text,
  by_user text,
  PRIMARY KEY (id)
);

CREATE TABLE baton.adoption (
  relation regclass NOT NULL,
  log text NOT NULL,
  state text NOT NULL,
  id_column text NOT NULL,
  key_column text,
  topic_column text,
  fixed_topic text,
  type_column text,
  headers_column text,
  payload_column text NOT NULL,
  status_column text NOT NULL,
  pending text[] NOT NULL,
  taken text NOT NULL,
  upto bigint,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (relation),
  FOREIGN KEY (log) REFERENCES baton.log(name),
  CHECK ((taken <> ALL (pending))),
  CHECK ((num_nonnulls(topic_column, fixed_topic) = 1)),
  CHECK ((cardinality(pending) > 0)),
  CHECK ((state = ANY (ARRAY['draining'::text, 'adopted'::text, 'returning'::text])))
);

CREATE TABLE baton.adoption_waiting (
  n bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  relation regclass NOT NULL,
  source_id text NOT NULL,
  id uuid,
  topic text,
  key text,
  type text,
  headers json,
  payload json,
  data bytea,
  PRIMARY KEY (relation, n)
);

CREATE TABLE baton.capture (
  name text NOT NULL,
  log text NOT NULL,
  publication text NOT NULL,
  own_publication boolean NOT NULL,
  slot text NOT NULL,
  system text NOT NULL,
  tables text[] NOT NULL,
  operations text[] NOT NULL,
  commit_lsn pg_lsn,
  ordinal bigint NOT NULL DEFAULT 0,
  acknowledged pg_lsn,
  changes bigint NOT NULL DEFAULT 0,
  changed_at timestamp with time zone,
  paused boolean NOT NULL DEFAULT false,
  problem text,
  problem_since timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  intact_lsn pg_lsn,
  intact_at timestamp with time zone,
  stuck_lsn pg_lsn,
  stuck_ordinal bigint,
  stuck_what text,
  skip_lsn pg_lsn,
  skip_ordinal bigint,
  warning text,
  UNIQUE (slot),
  PRIMARY KEY (name),
  FOREIGN KEY (log) REFERENCES baton.log(name),
  CHECK ((name ~ '^[a-z_][a-z0-9_]{0,39}$'::text))
);

CREATE TABLE baton.capture_basis (
  capture text NOT NULL,
  subject text NOT NULL,
  aspect text NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (capture, subject, aspect),
  FOREIGN KEY (capture) REFERENCES baton.capture(name) ON DELETE CASCADE
);

CREATE TABLE baton.capture_gap (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  capture text NOT NULL,
  table_name text,
  what text NOT NULL,
  from_lsn pg_lsn,
  from_at timestamp with time zone,
  to_lsn pg_lsn,
  to_at timestamp with time zone,
  suspect bigint,
  found_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  settled_at timestamp with time zone,
  settled_by text,
  settled_reason text,
  PRIMARY KEY (id),
  FOREIGN KEY (capture) REFERENCES baton.capture(name) ON DELETE CASCADE
);
CREATE UNIQUE INDEX capture_gap_open ON baton.capture_gap USING btree (capture, COALESCE(table_name, ''::text), what) WHERE (to_lsn IS NULL);
CREATE UNIQUE INDEX capture_gap_suspect ON baton.capture_gap USING btree (capture, table_name, suspect) WHERE (suspect IS NOT NULL);

CREATE TABLE baton.capture_snapshot (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  capture text NOT NULL,
  table_name text NOT NULL,
  after_key text[],
  sent bigint NOT NULL DEFAULT 0,
  estimated bigint NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  begun_at timestamp with time zone,
  done_at timestamp with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (capture) REFERENCES baton.capture(name) ON DELETE CASCADE
);
CREATE UNIQUE INDEX capture_snapshot_open ON baton.capture_snapshot USING btree (capture, table_name) WHERE (done_at IS NULL);

CREATE TABLE baton.checkpoint (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  subscription integer NOT NULL,
  lane integer NOT NULL,
  "position" bigint NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  timeline text NOT NULL DEFAULT 'none'::text,
  owner text,
  owned_since timestamp with time zone,
  advanced_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  owner_pid integer,
  UNIQUE (subscription, lane),
  PRIMARY KEY (id),
  FOREIGN KEY (subscription) REFERENCES baton.subscription(id)
);

CREATE TABLE baton.epoch_history (
  only_row boolean NOT NULL DEFAULT true,
  timeline text NOT NULL,
  PRIMARY KEY (only_row),
  CHECK (only_row)
);

CREATE TABLE baton.events (
  "position" bigint NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  version bigint,
  id uuid NOT NULL,
  lane integer NOT NULL,
  key text NOT NULL,
  topic text,
  type text,
  headers json,
  payload json,
  data bytea,
  PRIMARY KEY ("position")
);
CREATE UNIQUE INDEX events_id ON baton.events USING btree (id);
CREATE INDEX events_lane ON baton.events USING btree (lane, "position");
CREATE UNIQUE INDEX events_version ON baton.events USING btree (key, version) WHERE (version IS NOT NULL);

CREATE TABLE baton.inbox (
  inbox text NOT NULL,
  id uuid NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, id)
);
CREATE INDEX inbox_age ON baton.inbox USING btree (inbox, received_at);

CREATE TABLE baton.inbox_epoch (
  inbox text NOT NULL,
  key text NOT NULL,
  epoch bigint NOT NULL,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox, key)
);
CREATE INDEX inbox_epoch_age ON baton.inbox_epoch USING btree (inbox, since);

CREATE TABLE baton.inbox_receiver (
  inbox text NOT NULL,
  role text NOT NULL,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (inbox)
);

CREATE TABLE baton.leadership (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  key bigint NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  timeline text NOT NULL DEFAULT 'none'::text,
  holder text,
  backend_pid integer,
  since timestamp with time zone,
  released_at timestamp with time zone,
  vacant_for interval,
  previous_holder text,
  changes bigint NOT NULL DEFAULT 0,
  ran_at timestamp with time zone,
  ran_by text,
  rest_from timestamp with time zone,
  rest_for interval,
  rest_by text,
  UNIQUE (key),
  UNIQUE (name),
  PRIMARY KEY (id),
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

CREATE TABLE baton.log (
  name text NOT NULL,
  relation regclass NOT NULL,
  sequence regclass NOT NULL,
  lanes integer NOT NULL,
  retention interval,
  retained_above bigint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  payload_limit integer,
  writers text NOT NULL DEFAULT 'append'::text,
  UNIQUE (relation),
  UNIQUE (sequence),
  PRIMARY KEY (name),
  CHECK (((lanes >= 1) AND (lanes <= 1024))),
  CHECK ((name ~ '^[a-z_][a-z0-9_]{0,39}$'::text)),
  CHECK (((payload_limit >= 1) AND (payload_limit <= 100000000))),
  CHECK ((retention >= '00:00:00'::interval)),
  CHECK ((writers = ANY (ARRAY['append'::text, 'worker'::text])))
);

CREATE TABLE baton.member (
  number integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  subscription integer NOT NULL,
  who text NOT NULL,
  joined_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  pid integer,
  PRIMARY KEY (number),
  FOREIGN KEY (subscription) REFERENCES baton.subscription(id) ON DELETE CASCADE
);

CREATE TABLE baton.migration (
  number integer NOT NULL,
  name text NOT NULL,
  compatible_from integer NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  applied_by text NOT NULL DEFAULT CURRENT_USER,
  PRIMARY KEY (number)
);

CREATE TABLE baton.outbox (
  "position" bigint NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  version bigint,
  id uuid NOT NULL,
  lane integer NOT NULL,
  key text NOT NULL,
  topic text,
  type text,
  headers json,
  payload json,
  data bytea,
  PRIMARY KEY ("position")
);
CREATE UNIQUE INDEX outbox_id ON baton.outbox USING btree (id);
CREATE INDEX outbox_lane ON baton.outbox USING btree (lane, "position");
CREATE UNIQUE INDEX outbox_version ON baton.outbox USING btree (key, version) WHERE (version IS NOT NULL);

CREATE TABLE baton.parked (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  subscription integer NOT NULL,
  checkpoint integer NOT NULL,
  key text NOT NULL,
  state text NOT NULL,
  attempts integer NOT NULL,
  error text,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  next_attempt_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (subscription, key),
  PRIMARY KEY (id),
  FOREIGN KEY (checkpoint) REFERENCES baton.checkpoint(id),
  FOREIGN KEY (subscription) REFERENCES baton.subscription(id),
  CHECK ((state = ANY (ARRAY['retrying'::text, 'slow'::text, 'parked'::text])))
);
CREATE INDEX parked_checkpoint ON baton.parked USING btree (checkpoint);

CREATE TABLE baton.parked_message (
  parked bigint NOT NULL,
  "position" bigint NOT NULL,
  log text NOT NULL,
  PRIMARY KEY (parked, "position"),
  FOREIGN KEY (parked) REFERENCES baton.parked(id)
);
CREATE INDEX parked_message_log ON baton.parked_message USING btree (log, "position");

CREATE TABLE baton.schedule (
  name text NOT NULL,
  cron text NOT NULL,
  zone text NOT NULL,
  missed text NOT NULL,
  last_due timestamp with time zone,
  next_due timestamp with time zone NOT NULL,
  PRIMARY KEY (name),
  CHECK ((next_due > last_due)),
  CHECK ((missed = ANY (ARRAY['skip'::text, 'once'::text]))),
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

CREATE TABLE baton.schedule_run (
  schedule text NOT NULL,
  due timestamp with time zone NOT NULL,
  epoch bigint NOT NULL,
  who text NOT NULL,
  started timestamp with time zone,
  ended timestamp with time zone,
  outcome text NOT NULL,
  error text,
  PRIMARY KEY (schedule, due),
  FOREIGN KEY (schedule) REFERENCES baton.schedule(name) ON DELETE CASCADE,
  CHECK ((outcome = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text, 'lost'::text, 'missed'::text])))
);

CREATE TABLE baton.subscription (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  target text NOT NULL DEFAULT ''::text,
  log text NOT NULL,
  ordering text NOT NULL,
  state text NOT NULL,
  live boolean NOT NULL DEFAULT true,
  generation bigint NOT NULL DEFAULT 1,
  note text,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  publishes_to text,
  begun boolean NOT NULL DEFAULT true,
  rewinds bigint[] NOT NULL DEFAULT '{}'::bigint[],
  UNIQUE (name, target),
  PRIMARY KEY (id),
  FOREIGN KEY (log) REFERENCES baton.log(name),
  CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CHECK ((ordering = ANY (ARRAY['key'::text, 'total'::text]))),
  CHECK ((state = ANY (ARRAY['new'::text, 'running'::text, 'paused'::text, 'stopped'::text, 'retired'::text]))),
  CHECK ((length(target) <= 200))
);
CREATE UNIQUE INDEX subscription_live ON baton.subscription USING btree (name) WHERE live;
