package org.pgbaton.migration;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schema.Migration;

/**
 * The living definitions of functions, triggers and views: each stands in one file of {@code routines/}, written so that it can be
 * applied again (CREATE OR REPLACE).
 *
 * <p>Guarantee: after every migration the database has exactly the definitions of the program that migrated it. Whoever changes one
 * also adds a numbered step, perhaps an empty one: pending steps are the only reason to migrate, so a program never puts its older
 * definitions over newer ones. What CREATE OR REPLACE cannot change (arguments, results, columns of a view) the step drops.
 *
 * <p>These are in every database. {@link AdoptionFunctions} are in those that need them.
 */
final class Routines {
    /** Needs none of our tables: applied before the steps, which may use it, and again with the others. */
    private static final String BASIS = "basis";

    /** In this order: a view, and a function in SQL, can only name what is there. */
    private static final List<String> FILES = List.of(
            BASIS,
            "leadership",
            "schedule",
            "log",
            "outbox",
            "inbox",
            "subscription",
            "relay",
            "capture",
            "rights",
            "settle");

    static List<String> files() {
        return FILES;
    }

    /** What the steps may call. */
    static String basis(SchemaName schema) {
        return schema.in(text(BASIS));
    }

    /** Everything, to be applied after the steps, in the same transaction. */
    static String all(SchemaName schema) {
        StringBuilder all = new StringBuilder();
        FILES.forEach(file -> all.append(schema.in(text(file))).append('\n'));
        return all.toString();
    }

    static String text(String file) {
        return resource("routines/" + file + ".sql");
    }

    /** A file beside the steps. */
    static String resource(String name) {
        try (InputStream in = Migration.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The file " + name + " is missing from Baton's jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new IllegalStateException("The file " + name + " in Baton's jar cannot be read.", unreadable);
        }
    }

    private Routines() {}
}
