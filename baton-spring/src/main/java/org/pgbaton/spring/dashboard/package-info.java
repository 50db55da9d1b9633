/** The dashboard in the application's own web server, under its own security. */
@NullMarked
package org.pgbaton.spring.dashboard;

import org.jspecify.annotations.NullMarked;
