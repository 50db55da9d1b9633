/** Pages as HTML, escaped by construction. */
@NullMarked
package org.pgbaton.dashboard.page;

import org.jspecify.annotations.NullMarked;
