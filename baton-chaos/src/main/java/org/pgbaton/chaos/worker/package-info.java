/** What the processes of a round do with Baton. */
@NullMarked
package org.pgbaton.chaos.worker;

import org.jspecify.annotations.NullMarked;
