/** Baton's tables, as numbered migrations. */
@NullMarked
package org.pgbaton.schema;

import org.jspecify.annotations.NullMarked;
