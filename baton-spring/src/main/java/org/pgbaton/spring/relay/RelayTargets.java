package org.pgbaton.spring.relay;

import java.util.Map;

/** A bean with relays of this process. Thread-safe. */
public interface RelayTargets {
    /** By subscription, where its messages go; for people, without secrets. */
    Map<String, String> targets();
}
