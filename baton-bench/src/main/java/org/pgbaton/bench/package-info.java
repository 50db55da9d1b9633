/** {@code baton bench}: Baton beside its peers and the limit, in one run, as ratios. */
@NullMarked
package org.pgbaton.bench;

import org.jspecify.annotations.NullMarked;
