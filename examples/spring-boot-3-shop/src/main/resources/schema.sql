CREATE TABLE IF NOT EXISTS customer_order (number int PRIMARY KEY, customer text NOT NULL, amount int NOT NULL);
CREATE TABLE IF NOT EXISTS customer_total (customer text PRIMARY KEY, total bigint NOT NULL);
