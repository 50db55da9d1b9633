/** A database of its own for each test, and real processes to start, kill and freeze. */
@NullMarked
package org.pgbaton.testkit;

import org.jspecify.annotations.NullMarked;
