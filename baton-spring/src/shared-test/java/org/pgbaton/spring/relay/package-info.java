@NullMarked
package org.pgbaton.spring.relay;

import org.jspecify.annotations.NullMarked;
