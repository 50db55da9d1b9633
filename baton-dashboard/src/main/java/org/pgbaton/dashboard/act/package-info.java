/** What operators do: stated before, done, recorded. */
@NullMarked
package org.pgbaton.dashboard.act;

import org.jspecify.annotations.NullMarked;
