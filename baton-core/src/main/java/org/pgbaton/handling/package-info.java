/** The application's handler: what it is, how it is called, and what its failures mean. */
@NullMarked
package org.pgbaton.handling;

import org.jspecify.annotations.NullMarked;
