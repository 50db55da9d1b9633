CREATE TABLE IF NOT EXISTS customer_order (number int PRIMARY KEY, customer text NOT NULL, amount int NOT NULL);
CREATE TABLE IF NOT EXISTS customer_total (customer text PRIMARY KEY, orders int NOT NULL, total bigint NOT NULL);
CREATE TABLE IF NOT EXISTS report (written timestamptz NOT NULL DEFAULT now(), orders bigint NOT NULL);
