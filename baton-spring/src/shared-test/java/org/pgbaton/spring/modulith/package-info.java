@NullMarked
package org.pgbaton.spring.modulith;

import org.jspecify.annotations.NullMarked;
