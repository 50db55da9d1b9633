/** {@code baton lead}: a program of any language runs only while leading. */
@NullMarked
package org.pgbaton.server.lead;

import org.jspecify.annotations.NullMarked;
