package org.pgbaton.server.demo;

/** The tables of the demo, which are in the schema {@code public}, and the queries on them. */
final class TradesSql {
    static final String TABLES = """
            CREATE TABLE holding (
              portfolio text PRIMARY KEY,
              quantity  bigint NOT NULL,
              last      bigint NOT NULL,               -- the number of the last trade
              disorder  bigint NOT NULL DEFAULT 0);    -- how often the next one had not the next number
            CREATE TABLE handled (portfolio text NOT NULL, number bigint NOT NULL, worker text NOT NULL);
            CREATE TABLE alert (
              portfolio text   NOT NULL,
              number    bigint NOT NULL,               -- of this portfolio's alerts
              quantity  bigint NOT NULL,               -- of the trade, which is over the limit
              PRIMARY KEY (portfolio, number))""";

    /** A trade that is over the limit makes an alert, in the same transaction. */
    static final String APPEND = """
            WITH trade AS (
                   SELECT portfolio, quantity, json_build_object('number', number, 'quantity', quantity) AS body
                     FROM (VALUES (?::text, ?::bigint, ?::bigint)) AS made (portfolio, number, quantity)),
                 booked AS (
                   INSERT INTO ${schema}.events (key, type, payload) SELECT portfolio, 'Traded', body FROM trade),
                 alerted AS (
                   INSERT INTO alert (portfolio, number, quantity)
                   SELECT portfolio, 1 + (SELECT count(*) FROM alert AS earlier WHERE earlier.portfolio = trade.portfolio), quantity
                     FROM trade WHERE abs(quantity) > %d)
            INSERT INTO ${schema}.outbox (topic, key, payload) SELECT ?, portfolio, body FROM trade""".formatted(Alerts.LIMIT);

    static final String HOLD = """
            INSERT INTO holding AS h (portfolio, quantity, last, disorder)
            SELECT ?, (trade ->> 'quantity')::bigint, (trade ->> 'number')::bigint, ((trade ->> 'number') <> '1')::integer
              FROM (SELECT ?::json AS trade) AS message
                ON CONFLICT (portfolio) DO UPDATE
               SET quantity = h.quantity + excluded.quantity, last = excluded.last,
                   disorder = h.disorder + (excluded.last <> h.last + 1)::integer""";

    static final String HANDLED =
            "INSERT INTO handled (portfolio, number, worker) SELECT ?, (?::json ->> 'number')::bigint, ?";

    static final String HANDLED_SO_FAR = "SELECT count(*) FROM handled";

    /** The number of handled trades in all, of different ones, and of those that killed workers have handled. */
    static final String WHO = """
            SELECT count(*), count(DISTINCT (portfolio, number)), count(*) FILTER (WHERE worker = ANY (?)) FROM handled""";

    /** The number of portfolios, of trades, of portfolios whose holding differs from the log, and of trades out of order. */
    static final String CHECK = """
            SELECT count(logged.portfolio), coalesce(sum(logged.trades), 0),
                   count(*) FILTER (WHERE (holding.quantity, holding.last) IS DISTINCT FROM (logged.quantity, logged.trades)),
                   coalesce(sum(holding.disorder), 0)
              FROM (SELECT key AS portfolio, sum((payload ->> 'quantity')::bigint)::bigint AS quantity, count(*) AS trades
                      FROM ${schema}.events GROUP BY key) AS logged
              FULL JOIN holding USING (portfolio)""";

    static final String ALERTS = "SELECT count(*) FROM alert";

    static final String LANES_OF = "SELECT count(*) FROM ${schema}.checkpoint WHERE owner = ?";

    static final String OWNERS = "SELECT count(DISTINCT owner) FROM ${schema}.checkpoint WHERE owner = ANY (?)";

    private TradesSql() {}
}
