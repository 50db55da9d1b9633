/**
 * What remains of rounds: {@link org.pgbaton.chaos.report.RoundBook} keeps a line of each in {@code rounds.jsonl} and writes {@code report.md},
 * {@code report.json} and {@code report.html} from all of them. Nothing here knows PostgreSQL.
 */
@NullMarked
package org.pgbaton.chaos.report;

import org.jspecify.annotations.NullMarked;
