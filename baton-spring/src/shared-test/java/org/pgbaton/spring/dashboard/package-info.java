@NullMarked
package org.pgbaton.spring.dashboard;

import org.jspecify.annotations.NullMarked;
