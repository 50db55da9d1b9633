package org.pgbaton.capture.pgoutput;

import org.pgbaton.database.BatonException;

/** Bytes that are no message of {@code pgoutput}, or not the one that was asked for. Trying again does not help. */
public final class DecodeException extends BatonException {
    private static final long serialVersionUID = 1L;

    DecodeException(String message) {
        super(message, null);
    }
}
