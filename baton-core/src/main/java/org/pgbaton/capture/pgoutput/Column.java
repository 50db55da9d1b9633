package org.pgbaton.capture.pgoutput;

/**
 * A column at the time of the change.
 *
 * @param typeOid as the table has it: of a domain the domain's own
 * @param typmod such as the length of a {@code varchar}; -1: none
 * @param key whether it is part of the replica identity; with {@link ReplicaIdentity#FULL} every column is
 * @param type how its text is to be understood: of a domain its base type
 */
public record Column(String name, long typeOid, int typmod, boolean key, ColumnType type) {}
