/**
 * Notices about row changes, which channels send. A message of a log becomes a {@link org.pgbaton.server.notice.RowChange}; rules choose it
 * or not; a template makes a notice of it; a carrier sends that.
 */
@NullMarked
package org.pgbaton.server.notice;

import org.jspecify.annotations.NullMarked;
