/** The transactions of the application's own transaction manager. */
@NullMarked
package org.pgbaton.spring.transaction;

import org.jspecify.annotations.NullMarked;
