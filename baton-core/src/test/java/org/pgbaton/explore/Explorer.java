package org.pgbaton.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Lets the actors of a {@link Model} take their steps in many different orders, and says in which of them a claim does not hold.
 *
 * <p>Deterministic: the same seed is the same schedule. A failure names the seed and every step. With {@code -Dbaton.explore.seed=}
 * the seeds begin elsewhere, with {@code -Dbaton.explore.schedules=} there are more of them, or one.
 */
public final class Explorer {
    /** More steps mean that the actors do not come to rest. */
    private static final int MOST_STEPS = 3000;

    private static final long FIRST_SEED = Long.getLong("baton.explore.seed", 1);

    private static final Actor.Taken CALM = new Actor.Taken("Nobody", "can go on; from here on it is calm");

    private Explorer() {}

    /** So many schedules at random: the claims hold in all of them. */
    public static void holds(int schedules, Function<Choices, Model> model) {
        int many = Integer.getInteger("baton.explore.schedules", schedules);
        String violation = search(many, model);
        if (violation != null) {
            throw new AssertionError(violation);
        }
    }

    /**
     * So many schedules at random: in one of them at least a claim does not hold.
     *
     * @return which, and the schedule
     */
    public static String finds(int schedules, Function<Choices, Model> model) {
        String violation = search(schedules, model);
        if (violation == null) {
            throw new AssertionError("Nothing was found wrong in " + schedules + " schedules.");
        }
        return violation;
    }

    /**
     * All schedules that there are: the claims hold in all of them.
     *
     * @return how many
     */
    public static int holdsInAll(int most, Function<Choices, Model> model) {
        Choices.Every choices = new Choices.Every();
        int schedules = 0;
        do {
            schedules++;
            if (schedules > most) {
                throw new AssertionError("There are more than " + most + " schedules: make the model smaller.");
            }
            String violation = run(model, choices);
            if (violation != null) {
                throw new AssertionError("Schedule " + schedules + " of all: " + violation);
            }
        } while (choices.advance());
        return schedules;
    }

    private static String search(int schedules, Function<Choices, Model> model) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + schedules; seed++) {
            String violation = run(model, new Choices.Seeded(seed));
            if (violation != null) {
                return "Seed " + seed + ": " + violation
                        + "\nRepeat it with -Dbaton.explore.schedules=1 -Dbaton.explore.seed=" + seed;
            }
        }
        return null;
    }

    /** @return what is wrong; null if nothing is */
    private static String run(Function<Choices, Model> factory, Choices choices) {
        List<Actor.Taken> taken = new ArrayList<>();
        Model model = factory.apply(choices);
        try {
            run(model, choices, taken);
            return null;
        } catch (Model.Violation | IllegalStateException violation) {
            StringBuilder text = new StringBuilder(String.valueOf(violation.getMessage()));
            for (int i = 0; i < taken.size(); i++) {
                text.append('\n').append(i + 1).append(". ").append(taken.get(i));
            }
            return text.append("\nIn the end: ").append(model).toString();
        }
    }

    private static void run(Model model, Choices choices, List<Actor.Taken> taken) {
        List<Actor> ready = new ArrayList<>();
        Actor last = null;
        while (true) {
            ready.clear();
            for (Actor actor : model.actors) {
                if (actor.isReady()) {
                    ready.add(actor);
                }
            }
            if (ready.isEmpty()) {
                if (!model.atRest()) {
                    return;
                }
                taken.add(CALM);
            } else {
                last = ready.size() == 1
                        ? ready.get(0)
                        : ready.get(choices.next(ready.size(), last == null ? -1 : ready.indexOf(last)));
                taken.add(last.next());
                last.step();
            }
            Model.require(taken.size() < MOST_STEPS, () -> "They do not come to rest.");
        }
    }
}
