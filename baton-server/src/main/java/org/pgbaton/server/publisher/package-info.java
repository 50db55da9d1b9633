/** The targets of relays. Each kind of target is a class that has the keys of its configuration and makes the publisher. */
@NullMarked
package org.pgbaton.server.publisher;

import org.jspecify.annotations.NullMarked;
