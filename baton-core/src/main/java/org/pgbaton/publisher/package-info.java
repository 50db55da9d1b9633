/** Where messages go. */
@NullMarked
package org.pgbaton.publisher;

import org.jspecify.annotations.NullMarked;
