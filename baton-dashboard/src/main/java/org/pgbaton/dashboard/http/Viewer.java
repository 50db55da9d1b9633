package org.pgbaton.dashboard.http;

/**
 * Who looks. Whoever mounts the dashboard has checked it.
 *
 * @param name under which actions are recorded
 * @param byToken whether the request itself carried a secret that a browser does not send on its own, so that no other site can have
 *     caused it
 */
public record Viewer(String name, Role role, boolean byToken) {
    /** Whether the viewer may change something. */
    public boolean isOperator() {
        return role == Role.OPERATOR;
    }
}
