package org.pgbaton.dashboard.http;

/** A request that is refused, with the sentence for whoever sent it. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    /** @param status of HTTP */
    public RefusedException(int status, String sentence) {
        super(sentence);
        this.status = status;
    }

    /** The status of HTTP. */
    public int status() {
        return status;
    }
}
