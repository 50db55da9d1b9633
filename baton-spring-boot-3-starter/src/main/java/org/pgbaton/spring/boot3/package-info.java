/** What Spring Boot 3 has under names of its own. */
@NullMarked
package org.pgbaton.spring.boot3;

import org.jspecify.annotations.NullMarked;
