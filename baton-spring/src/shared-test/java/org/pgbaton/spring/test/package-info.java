@NullMarked
package org.pgbaton.spring.test;

import org.jspecify.annotations.NullMarked;
