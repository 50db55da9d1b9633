package org.pgbaton.chaos.world;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.testkit.JavaProcess;

/**
 * Processes that one round leaves to the next: a warm JVM costs a tenth of a new one. Not thread-safe.
 */
public final class IdleProcesses implements AutoCloseable {
    private final Deque<JavaProcess> idle = new ArrayDeque<>();

    JavaProcess take() {
        while (!idle.isEmpty()) {
            JavaProcess next = idle.removeFirst();
            if (next.isAlive()) {
                return next;
            }
            next.close();
        }
        return JavaProcess.start(List.of(), WorkerProgram.class);
    }

    void giveBack(JavaProcess process) {
        idle.addLast(process);
    }

    @Override
    public void close() {
        idle.forEach(JavaProcess::close);
        idle.clear();
    }
}
