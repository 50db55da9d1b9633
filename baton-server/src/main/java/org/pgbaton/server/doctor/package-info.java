/** The command {@code baton doctor}, which says what is wrong with a database, and what to do about it. */
@NullMarked
package org.pgbaton.server.doctor;

import org.jspecify.annotations.NullMarked;
