/** What comes in and goes out, whatever HTTP server is used. */
@NullMarked
package org.pgbaton.dashboard.http;

import org.jspecify.annotations.NullMarked;
