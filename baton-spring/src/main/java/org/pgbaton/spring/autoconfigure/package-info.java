/** The beans that Spring Boot makes of the properties {@code baton.*}. */
@NullMarked
package org.pgbaton.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
