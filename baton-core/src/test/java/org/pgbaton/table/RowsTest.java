package org.pgbaton.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;

class RowsTest {
    @Test
    void aChunkHasAThousandRows() {
        assertThat(sizes(Collections.nCopies(2500, Draft.json("1")))).containsExactly(1000, 1000, 500);
        assertThat(sizes(List.of())).isEmpty();
    }

    @Test
    void aHeavyRowGoesAloneAndNoneIsLeftOut() {
        Draft heavy = Draft.bytes(new byte[3 << 20]);
        Draft light = Draft.json("1");
        assertThat(sizes(List.of(light, heavy, heavy, light, light))).containsExactly(1, 1, 1, 2);
    }

    private static List<Integer> sizes(List<Draft> drafts) {
        return Rows.chunks(drafts, draft -> draft).stream().map(List::size).toList();
    }
}
