package org.pgbaton.member;

/**
 * Something for a worker to do.
 *
 * @param undo if the executor, or the machine, has no thread for it
 */
record WorkerTask(Runnable work, Runnable undo) {}
