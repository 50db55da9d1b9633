package org.pgbaton.schema;

import java.util.List;

/**
 * Brings Baton's schema up to date, and refuses one that does not fit. Thread-safe.
 *
 * <pre>{@code
 * Schema schema = Baton.builder("postgres://owner@db.example.com/shop").migrations();
 * schema.pending().forEach(step -> System.out.println(step.number() + " " + step.name()));
 * schema.migrate();
 * }</pre>
 *
 * <p>Guarantee: all pending steps, and after them the functions, triggers and views, are applied in one transaction under a
 * lock, once, however many processes start at the same time. Names are looked up in pg_catalog alone, whatever others put
 * into their schemas. If nothing is pending, nothing is locked and no privilege beyond reading is needed.
 *
 * <p>Compatibility: a program works on a schema that newer programs have migrated, unless a step declares itself
 * incompatible. It refuses a schema that lacks one of its own steps.
 */
public interface Schema {
    /**
     * The steps that {@link #migrate} would apply now.
     *
     * @throws SchemaException if the schema is too new for this program
     */
    List<Migration> pending();

    /**
     * Applies the pending steps.
     *
     * @return the steps that were applied; empty if the schema was up to date
     * @throws SchemaException if the schema is too new for this program
     */
    List<Migration> migrate();

    /**
     * Checks the schema, and changes nothing.
     *
     * @throws SchemaException unless this program can work with the schema as it is
     */
    void require();
}
