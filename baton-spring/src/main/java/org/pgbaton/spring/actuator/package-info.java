/** What Actuator shows of Baton. */
@NullMarked
package org.pgbaton.spring.actuator;

import org.jspecify.annotations.NullMarked;
