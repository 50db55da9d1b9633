/** Captures that properties describe. */
@NullMarked
package org.pgbaton.spring.capture;

import org.jspecify.annotations.NullMarked;
