@NullMarked
package org.pgbaton.spring.leader;

import org.jspecify.annotations.NullMarked;
