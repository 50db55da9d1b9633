/** One process's part in subscriptions: the session that holds its lanes, and its fair share of them. */
@NullMarked
package org.pgbaton.member;

import org.jspecify.annotations.NullMarked;
