package org.pgbaton.campaign;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalInt;
import org.pgbaton.leadership.LeadershipNameException;
import org.pgbaton.session.Session;

/** The row that ties a name to its advisory key, made on first use. Two names on one key, or one name on two, are errors. */
final class LeadershipRegistration {
    private LeadershipRegistration() {}

    /** @return the row's number */
    static int of(Session session, LeadershipKey key) {
        OptionalInt known = find(session, key);
        if (known.isPresent()) {
            return known.getAsInt();
        }
        // Only now: a refused INSERT would use up a number each time.
        session.query("register a leadership", LeadershipSql.REGISTER, ResultSet::next, key.name(), key.key());
        return find(session, key)
                .orElseThrow(() -> new LeadershipNameException(
                        "Leadership '" + key.name() + "' vanished while it was registered; was its row deleted?"));
    }

    private static OptionalInt find(Session session, LeadershipKey key) {
        return session.query(
                "find a leadership", LeadershipSql.FIND, rows -> matching(rows, key), key.name(), key.key());
    }

    private static OptionalInt matching(ResultSet rows, LeadershipKey key) throws SQLException {
        while (rows.next()) {
            String name = rows.getString(2);
            long number = rows.getLong(3);
            if (!name.equals(key.name())) {
                throw new LeadershipNameException("Leadership '" + key.name() + "' has the advisory key " + key.key()
                        + ", which belongs to leadership '" + name
                        + "' already; rename one of them, or give it another number.");
            }
            if (number != key.key()) {
                throw new LeadershipNameException("Leadership '" + name + "' is registered with the advisory key "
                        + number + ", not " + key.key() + "; use the same key in every process, or another name.");
            }
            return OptionalInt.of(rows.getInt(1));
        }
        return OptionalInt.empty();
    }
}
