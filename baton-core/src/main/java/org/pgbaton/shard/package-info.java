/** For applications with several databases: which of them a key belongs to. */
@NullMarked
package org.pgbaton.shard;

import org.jspecify.annotations.NullMarked;
