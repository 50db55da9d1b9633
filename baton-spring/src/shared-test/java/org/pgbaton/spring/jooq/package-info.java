@NullMarked
package org.pgbaton.spring.jooq;

import org.jspecify.annotations.NullMarked;
