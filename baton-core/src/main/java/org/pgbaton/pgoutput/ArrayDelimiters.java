package org.pgbaton.pgoutput;

/** Knows what separates the elements of an array type that is not PostgreSQL's own: the stream does not say it, and it never changes. */
@FunctionalInterface
public interface ArrayDelimiters {
    /** A comma for nearly all types. */
    char of(long type);
}
