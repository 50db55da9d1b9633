/** {@code baton demo}: kills leaders and counts milliseconds. */
@NullMarked
package org.pgbaton.server.demo;

import org.jspecify.annotations.NullMarked;
