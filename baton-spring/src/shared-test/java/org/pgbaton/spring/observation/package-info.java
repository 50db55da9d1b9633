@NullMarked
package org.pgbaton.spring.observation;

import org.jspecify.annotations.NullMarked;
