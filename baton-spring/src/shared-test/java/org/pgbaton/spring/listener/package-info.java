@NullMarked
package org.pgbaton.spring.listener;

import org.jspecify.annotations.NullMarked;
