/**
 * Tests of Baton's promises, and of everything that could break them. Races are forced, not hoped for: transactions are
 * held open at the critical point, processes are frozen, backends are terminated.
 */
package org.pgbaton.proofs;
