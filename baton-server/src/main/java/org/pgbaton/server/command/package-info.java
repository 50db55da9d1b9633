/**
 * What commands have in common: choosing a database, asking for confirmation, output, exit codes, and exceptions that become an exit code.
 * Imports no other package of the server.
 */
@NullMarked
package org.pgbaton.server.command;

import org.jspecify.annotations.NullMarked;
