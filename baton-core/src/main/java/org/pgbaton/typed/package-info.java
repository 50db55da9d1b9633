/** Typed messages: objects of the application's classes, written to a log and read from it by a registry of their types. */
@NullMarked
package org.pgbaton.typed;

import org.jspecify.annotations.NullMarked;
