/** Units of work: the transactions, statements and reads that batches and drains have in common. */
@NullMarked
package org.pgbaton.work;

import org.jspecify.annotations.NullMarked;
