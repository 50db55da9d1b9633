@NullMarked
package org.pgbaton.spring.jpa;

import org.jspecify.annotations.NullMarked;
