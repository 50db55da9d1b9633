package org.pgbaton.pgoutput;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link Row} of values that were read from a table. The row is encoded and decoded as the stream would send its INSERT, so that existing
 * rows and changes look the same. Not thread-safe.
 */
public final class TableRows {
    /**
     * A column as the catalog describes it.
     *
     * @param typeSchema the schema of the type; for a domain, of its base type
     * @param isKey whether it is part of the primary key
     */
    public record TableColumn(String name, long type, int typmod, String typeSchema, String typeName, boolean isKey) {}

    private final Decoder decoder;
    private final long table;

    public TableRows(long table, String schema, String name, List<TableColumn> columns, ArrayDelimiters delimiters) {
        this.decoder = new Decoder(delimiters);
        this.table = table;
        for (TableColumn column : columns) {
            decode(out -> {
                out.writeByte('Y');
                out.writeInt((int) column.type);
                text(out, column.typeSchema);
                text(out, column.typeName);
            });
        }
        decode(out -> {
            out.writeByte('R');
            out.writeInt((int) table);
            text(out, schema);
            text(out, name);
            out.writeByte('d');
            out.writeShort(columns.size());
            for (TableColumn column : columns) {
                out.writeByte(column.isKey ? 1 : 0);
                text(out, column.name);
                out.writeInt((int) column.type);
                out.writeInt(column.typmod);
            }
        });
    }

    /** @param values the texts of the values, in the order of the columns */
    public Row row(List<@Nullable String> values) {
        return ((WalMessage.Insert) decode(out -> {
                    out.writeByte('I');
                    out.writeInt((int) table);
                    out.writeByte('N');
                    out.writeShort(values.size());
                    for (String value : values) {
                        if (value == null) {
                            out.writeByte('n');
                        } else {
                            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
                            out.writeByte('t');
                            out.writeInt(bytes.length);
                            out.write(bytes);
                        }
                    }
                }))
                .after();
    }

    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private WalMessage decode(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            writing.to(out);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return decoder.decode(ByteBuffer.wrap(bytes.toByteArray()));
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.writeByte(0);
    }
}
