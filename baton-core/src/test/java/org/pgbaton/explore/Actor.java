package org.pgbaton.explore;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Somebody who takes one step after the other. A step is atomic; between two of them anybody else may take theirs. */
public final class Actor {
    private record Step(Supplier<String> what, BooleanSupplier ready, Runnable body) {}

    /** For the account of a schedule. */
    record Taken(String who, String what) {
        @Override
        public String toString() {
            return who + ' ' + what;
        }
    }

    private final String name;
    private final Deque<Step> steps = new ArrayDeque<>();

    Actor(String name) {
        this.name = name;
    }

    public Actor then(String what, Runnable body) {
        return when(() -> true, what, body);
    }

    /** A step that waits until it can be taken. The condition must change nothing. */
    public Actor when(BooleanSupplier ready, String what, Runnable body) {
        return when(ready, () -> what, body);
    }

    /** The same for a step that knows only when it is taken what it is about. */
    public Actor when(BooleanSupplier ready, Supplier<String> what, Runnable body) {
        steps.addLast(new Step(what, ready, body));
        return this;
    }

    /** Nothing of what it was about to do is done. */
    public void stop() {
        steps.clear();
    }

    public boolean isDone() {
        return steps.isEmpty();
    }

    boolean isReady() {
        Step next = steps.peekFirst();
        return next != null && next.ready().getAsBoolean();
    }

    Taken next() {
        return new Taken(name, steps.getFirst().what().get());
    }

    void step() {
        steps.removeFirst().body().run();
    }
}
