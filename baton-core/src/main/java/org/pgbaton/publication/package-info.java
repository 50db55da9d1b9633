/**
 * The tables of a capture and their publication: finds and checks them, makes the publication, and notices when somebody else has changed
 * something, so that changes are missing. Not API.
 */
@NullMarked
package org.pgbaton.publication;

import org.jspecify.annotations.NullMarked;
