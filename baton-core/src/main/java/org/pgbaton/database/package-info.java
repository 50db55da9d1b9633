/** How Baton reaches PostgreSQL, and the one family of exceptions it answers with. Imports no other package of Baton. */
@NullMarked
package org.pgbaton.database;

import org.jspecify.annotations.NullMarked;
