/**
 * What Baton promises, and what could break it. Races are forced, not hoped for: transactions are held open at the critical
 * point, processes are frozen, backends are terminated.
 */
package org.pgbaton.proofs;
