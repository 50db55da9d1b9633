package org.pgbaton.subscription;

/**
 * Something for a worker to do.
 *
 * @param undo if the executor, or the machine, has no thread for it
 */
record Task(Runnable work, Runnable undo) {}
