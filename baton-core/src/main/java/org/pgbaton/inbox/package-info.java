/** For receivers: which messages were there before. */
@NullMarked
package org.pgbaton.inbox;

import org.jspecify.annotations.NullMarked;
