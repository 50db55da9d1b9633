@NullMarked
package org.pgbaton.spring.jdbc;

import org.jspecify.annotations.NullMarked;
