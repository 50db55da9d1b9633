/** {@code baton doctor}: what is wrong with this database, and what to do about it. */
@NullMarked
package org.pgbaton.server.doctor;

import org.jspecify.annotations.NullMarked;
