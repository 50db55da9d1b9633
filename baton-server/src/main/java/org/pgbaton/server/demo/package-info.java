/** The command {@code baton demo}, which kills leaders, measures takeovers, and checks that no trade and no alert was lost. */
@NullMarked
package org.pgbaton.server.demo;

import org.jspecify.annotations.NullMarked;
