/** {@code baton parked}: keys that wait, why, and what operators do about it. */
@NullMarked
package org.pgbaton.server.parked;

import org.jspecify.annotations.NullMarked;
