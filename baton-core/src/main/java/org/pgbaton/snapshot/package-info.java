/** Snapshots: sends the existing rows of captured tables among the changes, while the tables are written to. Not API. */
@NullMarked
package org.pgbaton.snapshot;

import org.jspecify.annotations.NullMarked;
