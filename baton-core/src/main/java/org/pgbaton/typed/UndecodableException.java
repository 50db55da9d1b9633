package org.pgbaton.typed;

import org.pgbaton.database.BatonException;

/**
 * A codec or an {@link Upcaster} cannot make anything of a payload. The reason is shown to operators and written to the log: it has
 * nothing of the payload in it.
 */
public final class UndecodableException extends BatonException {
    private static final long serialVersionUID = 1L;

    /**
     * Without a cause, because the causes of decoders quote the payload.
     *
     * @param reason continues the sentence "it cannot be decoded: …", without a full stop
     */
    public UndecodableException(String reason) {
        super(reason, null);
    }
}
