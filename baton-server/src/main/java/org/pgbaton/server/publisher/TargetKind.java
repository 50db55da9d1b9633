package org.pgbaton.server.publisher;

import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** A kind of target that can be configured: its keys, the conditions among them, and the publisher that is made. */
interface TargetKind {
    /** For the kinds that log in. */
    Key<Boolean> ALLOW_UNENCRYPTED_LOGIN = Key.optional(
            "allow-unencrypted-login",
            Scalar.truth(),
            "false",
            "Without it, a password goes to another machine only over TLS.");

    /** For the kinds that can send CloudEvents. */
    Key<String> CLOUD_EVENTS = Key.optional(
            "cloud-events",
            Scalar.text(),
            "Sends CloudEvents in binary mode, with this source, for instance /shop/orders. Default: no CloudEvents.");

    /** Its name in a file. */
    String name();

    /** For people who write the file. */
    String meaning();

    Section section();

    /**
     * Makes a publisher, which does not connect yet.
     *
     * @param settings of the section, without problems
     * @throws IllegalArgumentException with a sentence about the settings, without secrets
     */
    Outlet open(Settings settings);

    /**
     * The same for one of several databases that publish there. For kinds that keep something under a name at the target, which must be another one
     * for each database.
     *
     * @param database its name
     */
    default Outlet open(Settings settings, String database) {
        return open(settings);
    }
}
