package org.pgbaton.pgoutput;

import org.pgbaton.database.BatonException;

/** A message cannot be decoded, or a row does not have the column that was asked for. Trying again does not help. */
public final class DecodeException extends BatonException {
    private static final long serialVersionUID = 1L;

    DecodeException(String message) {
        super(message, null);
    }
}
