package org.pgbaton.spring;

/** Saves an order with a technology of its own. */
public interface OrderStore {
    /** Saves it in the open transaction. */
    void save(String id);
}
