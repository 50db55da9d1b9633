package org.pgbaton.proofs.capture;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.Decoder;
import org.pgbaton.pgoutput.Transaction;
import org.pgbaton.pgoutput.WalMessage;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/** Reads a slot of its own with the decoder, from the moment the slot was made. */
final class WalReader implements AutoCloseable {
    private static final String END = "end of what is read";

    private final TestDatabase database;
    private final Connection connection;
    private final PGReplicationStream stream;
    private final Decoder decoder = new Decoder(this::delimiter);

    WalReader(TestDatabase database, String publication) throws SQLException {
        this.database = database;
        String slot = database.name();
        database.one("SELECT pg_create_logical_replication_slot(?, 'pgoutput')", slot);
        Properties properties = new Properties();
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "14");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        connection = DriverManager.getConnection(database.url(), properties);
        try (Statement statement = connection.createStatement()) {
            for (String setting : Decoder.SETTINGS) {
                statement.execute(setting);
            }
        }
        stream = connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName(slot)
                .withSlotOption("proto_version", 1)
                .withSlotOption("publication_names", '"' + publication + '"')
                .withSlotOption("messages", true)
                .withAutomaticFlush(false)
                .start();
    }

    private char delimiter(long type) {
        try {
            return database.one(
                            "SELECT e.typdelim FROM pg_type t JOIN pg_type a ON a.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END "
                                    + "JOIN pg_type e ON e.oid = a.typelem WHERE t.oid = ?::oid",
                            String.valueOf(type))
                    .charAt(0);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** All messages that are committed now and were not read yet. */
    List<WalMessage> messages() throws SQLException {
        database.one("SELECT pg_logical_emit_message(true, ?, '')", END);
        List<WalMessage> messages = new ArrayList<>();
        while (true) {
            ByteBuffer buffer = stream.read();
            WalMessage message = decoder.decode(buffer);
            if (message instanceof WalMessage.Emitted emitted
                    && emitted.prefix().equals(END)) {
                messages.remove(messages.size() - 1);
                decoder.decode(stream.read());
                return messages;
            }
            messages.add(message);
        }
    }

    List<Change> changes() throws SQLException {
        List<Change> changes = new ArrayList<>();
        Transaction transaction = null;
        for (WalMessage message : messages()) {
            if (message instanceof WalMessage.Begin begin) {
                transaction = new Transaction(begin);
            } else if (message instanceof WalMessage.RowChange change && transaction != null) {
                changes.add(transaction.change(change));
            } else if (message instanceof WalMessage.Truncate truncate && transaction != null) {
                changes.addAll(transaction.changes(truncate));
            }
        }
        return changes;
    }

    /** As JSON, without the values that differ from run to run. */
    List<String> json() throws SQLException {
        return changes().stream()
                .map(change -> change.toJson()
                        .replaceFirst(",\"lsn\":\"[0-9A-F]+/[0-9A-F]+\",\"committedAt\":\"[^\"]+\"}$", "}"))
                .toList();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
