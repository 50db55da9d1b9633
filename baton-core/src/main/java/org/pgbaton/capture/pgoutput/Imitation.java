package org.pgbaton.capture.pgoutput;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says of a row that was read from its table what the stream would say if it were inserted now, so that both look the same to whoever
 * gets them. Not thread-safe.
 */
public final class Imitation {
    /**
     * @param typeSchema of the type, of a domain of its base type
     * @param isKey whether it is part of the primary key
     */
    public record ColumnOf(String name, long type, int typmod, String typeSchema, String typeName, boolean isKey) {}

    private final Decoder decoder;
    private final long table;

    public Imitation(long table, String schema, String name, List<ColumnOf> columns, Decoder.Delimiters delimiters) {
        this.decoder = new Decoder(delimiters);
        this.table = table;
        for (ColumnOf column : columns) {
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
            for (ColumnOf column : columns) {
                out.writeByte(column.isKey ? 1 : 0);
                text(out, column.name);
                out.writeInt((int) column.type);
                out.writeInt(column.typmod);
            }
        });
    }

    /** @param values their texts, in the order of the columns */
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
