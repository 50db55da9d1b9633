@NullMarked
package org.pgbaton.spring.start;

import org.jspecify.annotations.NullMarked;
