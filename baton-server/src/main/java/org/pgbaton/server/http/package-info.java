/** The port of a command: open pages for machines, and the dashboard for people who may see it. */
@NullMarked
package org.pgbaton.server.http;

import org.jspecify.annotations.NullMarked;
