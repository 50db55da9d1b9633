package org.pgbaton.spring.dashboard;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Addresses of this machine for itself, by how they are written: no name is looked up. */
final class Loopback {
    private Loopback() {}

    /** 127.0.0.0/8 and ::1. */
    static boolean isAddress(@Nullable String address) {
        return address != null
                && address.replaceAll("[\\[\\]]|%.*", "").matches("127(\\.\\d{1,3}){3}|(0{1,4}:){7}0{0,3}1|::1");
    }

    /** The same, and localhost. */
    static boolean isName(@Nullable String name) {
        return name != null && (name.toLowerCase(Locale.ROOT).equals("localhost") || isAddress(name));
    }
}
