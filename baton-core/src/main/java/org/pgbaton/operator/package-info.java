/** What operators do with subscriptions. */
@NullMarked
package org.pgbaton.operator;

import org.jspecify.annotations.NullMarked;
