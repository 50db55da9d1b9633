/** The front door: {@link org.pgbaton.Baton}. It imports the other packages and none of them imports it. */
@NullMarked
package org.pgbaton;

import org.jspecify.annotations.NullMarked;
