package org.pgbaton.server;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Data for people (a table) or for programs (JSON). Both go to standard output. */
public final class Output {
    private Output() {}

    public static void json(Object value) {
        System.out.println(JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(value));
    }

    /** A table without lines, as {@code ps} and {@code kubectl} print it. */
    public static String table(List<String> head, List<List<String>> rows) {
        List<ColumnData<List<String>>> columns = new ArrayList<>();
        for (int i = 0; i < head.size(); i++) {
            int column = i;
            columns.add(new Column()
                    .header(head.get(i))
                    .headerAlign(HorizontalAlign.LEFT)
                    .dataAlign(HorizontalAlign.LEFT)
                    .maxWidth(80)
                    .with(row -> row.get(column)));
        }
        return AsciiTable.builder()
                .border(AsciiTable.NO_BORDERS)
                .data(rows, columns)
                .asString()
                .stripTrailing();
    }
}
