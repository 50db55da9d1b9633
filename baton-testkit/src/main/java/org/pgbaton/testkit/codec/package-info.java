/** The contract of codecs for typed messages, as tests. */
@NullMarked
package org.pgbaton.testkit.codec;

import org.jspecify.annotations.NullMarked;
