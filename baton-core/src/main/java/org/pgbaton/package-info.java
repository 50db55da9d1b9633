/**
 * The front door: {@link org.pgbaton.Baton}. It imports the other packages and none of them imports it.
 *
 * <p>Examples leave out imports. The types that they name are in the packages of this module, of the publisher that they are about, or in
 * Java's own. {@code baton} is an open {@link org.pgbaton.Baton}, {@code events} one of its logs, {@code connection} one of the
 * application's, with autocommit off.
 */
@NullMarked
package org.pgbaton;

import org.jspecify.annotations.NullMarked;
