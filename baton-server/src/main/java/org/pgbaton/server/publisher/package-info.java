/** Where relays send to: each kind of target is one class with its keys and how it makes a publisher. */
@NullMarked
package org.pgbaton.server.publisher;

import org.jspecify.annotations.NullMarked;
