/** Baton with the versions of libraries that frameworks manage. The modules beside this folder run the same tests, each with other versions. */
@NullMarked
package org.pgbaton.compat;

import org.jspecify.annotations.NullMarked;
