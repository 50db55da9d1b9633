package org.pgbaton.database;

/**
 * The schema that holds Baton's tables, quoted once and put into every statement by {@link #in}. Several schemas in one
 * database are several independent Batons.
 */
public record SchemaName(String name) {
    /** The default, {@code baton}. */
    public static final SchemaName DEFAULT = new SchemaName("baton");

    /** PostgreSQL allows 63; the names of the roles are made from this one. */
    private static final int LONGEST = 50;

    private static final String PLACEHOLDER = "${schema}";

    /** Refuses a name that would need quoting, or is PostgreSQL's own. */
    public SchemaName {
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*") || name.length() > LONGEST || name.startsWith("pg_")) {
            throw new IllegalArgumentException(
                    "'" + shortened(name) + "' cannot be the name of Baton's schema: use 1 to " + LONGEST + " "
                            + "letters, digits and underscores, not starting with a digit or with pg_ (default 'baton').");
        }
    }

    /** The statement with every {@code ${schema}} replaced by the quoted name, and {@code ${name}} by the bare one. */
    public String in(String sql) {
        return sql.replace(PLACEHOLDER, '"' + name + '"').replace("${name}", name);
    }

    private static String shortened(String name) {
        return name.length() <= 80 ? name : name.substring(0, 80) + "…";
    }

    @Override
    public String toString() {
        return name;
    }
}
