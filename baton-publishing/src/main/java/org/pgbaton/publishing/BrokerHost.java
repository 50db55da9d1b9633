package org.pgbaton.publishing;

/**
 * A host of a broker.
 *
 * @param name with brackets, if it is an IPv6 address
 */
public record BrokerHost(String name, int port) {
    /** {@code localhost:4222}. */
    @Override
    public String toString() {
        return name + ":" + port;
    }
}
