/** What Spring Boot 4 has under names of its own. */
@NullMarked
package org.pgbaton.spring.boot;

import org.jspecify.annotations.NullMarked;
