/** Methods with {@code @BatonListener}: found, checked and started as subscriptions. */
@NullMarked
package org.pgbaton.spring.listener;

import org.jspecify.annotations.NullMarked;
