/** Brings Baton's schema up to date. */
@NullMarked
package org.pgbaton.migration;

import org.jspecify.annotations.NullMarked;
