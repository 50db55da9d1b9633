/** JSON texts: checked before they go to PostgreSQL. */
@NullMarked
package org.pgbaton.json;

import org.jspecify.annotations.NullMarked;
