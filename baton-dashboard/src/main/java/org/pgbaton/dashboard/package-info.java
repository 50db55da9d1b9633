/** The dashboard and its API: what a server mounts. */
@NullMarked
package org.pgbaton.dashboard;

import org.jspecify.annotations.NullMarked;
