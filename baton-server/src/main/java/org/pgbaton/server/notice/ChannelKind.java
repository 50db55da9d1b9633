package org.pgbaton.server.notice;

import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** A kind of channel that a file can name: its keys, its escaping, and the carrier they make. */
interface ChannelKind {
    /** Its name in a file. */
    String name();

    /** For people who write the file. */
    String meaning();

    Section section();

    Template.Escaping escaping();

    /**
     * Makes a carrier, without connecting to anything yet.
     *
     * @throws IllegalArgumentException with a sentence about the settings, without secrets
     */
    Carrier open(Settings settings, Templates templates);
}
