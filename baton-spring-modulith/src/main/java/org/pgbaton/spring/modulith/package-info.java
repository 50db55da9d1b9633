/** Events that Spring Modulith externalizes, sent by the outbox. */
@NullMarked
package org.pgbaton.spring.modulith;

import org.jspecify.annotations.NullMarked;
