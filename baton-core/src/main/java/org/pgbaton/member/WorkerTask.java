package org.pgbaton.member;

/** Something for a worker to do. */
interface WorkerTask extends Runnable {
    /** The executor, or the machine, has no thread for it. */
    void undo();
}
