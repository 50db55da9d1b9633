/** Baton in Spring applications: sending and appending in the caller's transaction, listeners, duties of one process. */
@NullMarked
package org.pgbaton.spring;

import org.jspecify.annotations.NullMarked;
