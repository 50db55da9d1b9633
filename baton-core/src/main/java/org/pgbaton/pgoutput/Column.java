package org.pgbaton.pgoutput;

/**
 * A column at the time of the change.
 *
 * @param typeOid the declared type; for a domain, the domain itself
 * @param typmod such as the length of a {@code varchar}; -1 if there is none
 * @param key whether it is part of the replica identity; with {@link ReplicaIdentity#FULL} every column is
 * @param type the type of its values; for a domain, the base type
 */
public record Column(String name, long typeOid, int typmod, boolean key, ColumnType type) {}
