/** Tests of Spring Boot applications that use Baton. */
@NullMarked
package org.pgbaton.spring.test;

import org.jspecify.annotations.NullMarked;
