/** This machine: its kind, its programs, files and archives. Callers say what a failure means. */
@NullMarked
package org.pgbaton.embedded.machine;

import org.jspecify.annotations.NullMarked;
