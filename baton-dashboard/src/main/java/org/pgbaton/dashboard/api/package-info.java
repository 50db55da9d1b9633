/** The same facts as JSON, and what operators do. */
@NullMarked
package org.pgbaton.dashboard.api;

import org.jspecify.annotations.NullMarked;
