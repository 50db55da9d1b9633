package org.pgbaton.mail;

/** How a connection to a mail server is protected. With either kind of TLS the server's certificate must be valid for its name. */
public enum Tls {
    /** Begins in the clear and changes to TLS before anything is said; a server that cannot is refused. Usually port 587. */
    STARTTLS(587),
    /** TLS from the first byte. Usually port 465. */
    IMPLICIT(465),
    /** None: for a server on the same machine or in a network of one's own. Usually port 25. */
    NONE(25);

    private final int port;

    Tls(int port) {
        this.port = port;
    }

    int port() {
        return port;
    }
}
