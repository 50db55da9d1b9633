package org.pgbaton.bench.capture;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The captured table and its changes. Change number {@code n} of a single writer is an insert, an update or a delete.
 * The number can be read from the JSON of the change, Baton's or Debezium's. Needs nothing but the JDK and a driver.
 *
 * <p>Of ten changes, six insert (the id is the number), three update rows of fifty tens before, and the last deletes
 * the sixth row of its ten. For a delete the WAL has only the id by default.
 */
final class Orders {
    static final String TABLE = "public.orders";

    private static final String VALUES =
            "%1$s, %1$s, 'customer-' || %1$s %% 5000, 'placed', (%1$s %% 100000) / 100.0, 1 + %1$s %% 9, %1$s %% 3 = 0, clock_timestamp(), "
                    + "'{\"channel\": \"web\", \"items\": [4711, 815], \"gift\": false}', 'to be left with the neighbours, \"top floor\"'";

    /** How many rows the transactions have, one after the other: most are small, most rows are in large ones. */
    private static final String SIZES = "1, 1, 1, 2, 1, 5, 1, 1, 10, 1, 20, 1, 1, 50, 100, 1000";

    static final String[] PREPARATIONS = {
        "CREATE TABLE public.orders (id bigint PRIMARY KEY, change bigint NOT NULL, customer text NOT NULL, status text NOT NULL, "
                + "amount numeric(12, 2) NOT NULL, quantity integer NOT NULL, express boolean NOT NULL, placed_at timestamptz NOT NULL, "
                + "details jsonb, note text)",
        """
        CREATE PROCEDURE public.change_orders(first bigint, last bigint) LANGUAGE plpgsql AS $$
        DECLARE
          sizes integer[] := ARRAY[%s];
          turn integer := 0;
          number bigint := first;
          ten bigint;
          remaining integer;
        BEGIN
          WHILE number <= last LOOP
            remaining := sizes[1 + turn %% array_length(sizes, 1)];
            turn := turn + 1;
            WHILE remaining > 0 AND number <= last LOOP
              ten := number / 10 * 10;
              CASE number - ten
                WHEN 6, 7, 8 THEN
                  UPDATE public.orders SET change = number, status = 'shipped', amount = amount + 1, placed_at = clock_timestamp()
                   WHERE id = CASE WHEN ten >= 500 THEN number - 506 ELSE number - 6 END;
                WHEN 9 THEN DELETE FROM public.orders WHERE id = number - 4;
                ELSE INSERT INTO public.orders VALUES (%s);
              END CASE;
              number := number + 1;
              remaining := remaining - 1;
            END LOOP;
            COMMIT;
          END LOOP;
        END $$""".formatted(SIZES, VALUES.formatted("number"))
    };

    /** One row, with its number as the parameter. */
    static final String INSERT =
            "INSERT INTO public.orders SELECT " + VALUES.formatted("n") + " FROM (SELECT ?::bigint) AS given (n)";

    private static final String AFTER = "\"after\":{";
    private static final String BEFORE = "\"before\":{";

    private Orders() {}

    /** @return the number of a change, or -1 if it is none */
    static int numberIn(String json) {
        int after = json.indexOf(AFTER);
        if (after >= 0) {
            return number(json, "\"change\":", after);
        }
        int before = json.indexOf(BEFORE);
        int id = before < 0 ? -1 : number(json, "\"id\":", before);
        return id < 0 ? -1 : id + 4;
    }

    /** The numbers of the changes in a table that has a position and a payload, by position. */
    static List<Integer> numbersIn(String url, String table) throws SQLException {
        List<Integer> numbers = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(5000);
            try (ResultSet row = statement.executeQuery("SELECT payload FROM " + table + " ORDER BY position")) {
                while (row.next()) {
                    numbers.add(numberIn(row.getString(1)));
                }
            }
        }
        return numbers;
    }

    private static int number(String json, String name, int from) {
        int at = json.indexOf(name, from);
        if (at < 0) {
            return -1;
        }
        at += name.length();
        while (at < json.length() && json.charAt(at) == ' ') {
            at++;
        }
        int number = 0;
        int first = at;
        for (; at < json.length() && Character.isDigit(json.charAt(at)); at++) {
            number = number * 10 + (json.charAt(at) - '0');
        }
        return at == first ? -1 : number;
    }
}
