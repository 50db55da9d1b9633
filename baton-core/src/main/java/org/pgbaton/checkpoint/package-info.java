/** What is stored of subscriptions, and of their progress. */
@NullMarked
package org.pgbaton.checkpoint;

import org.jspecify.annotations.NullMarked;
