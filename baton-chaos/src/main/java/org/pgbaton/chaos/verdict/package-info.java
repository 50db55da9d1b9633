/** Judges a round by its {@link org.pgbaton.chaos.history.History} alone. Nothing here asks a database or a process. */
@NullMarked
package org.pgbaton.chaos.verdict;

import org.jspecify.annotations.NullMarked;
