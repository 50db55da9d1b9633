/** What a folder must hold that {@code mvn deploy} has written: everything, as Maven Central demands, and the same each time. */
@NullMarked
package org.pgbaton.artifacts;

import org.jspecify.annotations.NullMarked;
