/** One process's part in a subscription: which lanes it owns, and who works for them. */
@NullMarked
package org.pgbaton.member;

import org.jspecify.annotations.NullMarked;
