/** {@code baton demo}: kills leaders, counts milliseconds, and checks that no trade and no alert was lost. */
@NullMarked
package org.pgbaton.server.demo;

import org.jspecify.annotations.NullMarked;
