@NullMarked
package org.pgbaton.spring.property;

import org.jspecify.annotations.NullMarked;
