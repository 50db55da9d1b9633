package org.pgbaton.spring.start;

import org.jspecify.annotations.Nullable;

/** Where the application's database is, as its data source knows it. Asked for each new connection, so that a rotated password is used. */
public interface DatabaseAddress {
    /** A JDBC URL; null if it is not known. */
    @Nullable
    String url();

    /** The user; null if the URL has it. */
    @Nullable
    String user();

    /** The password; null if there is none, or the URL has it. */
    @Nullable
    String password();

    /** An address that stays as it is. */
    static DatabaseAddress of(@Nullable String url, @Nullable String user, @Nullable String password) {
        return new DatabaseAddress() {
            @Override
            public @Nullable String url() {
                return url;
            }

            @Override
            public @Nullable String user() {
                return user;
            }

            @Override
            public @Nullable String password() {
                return password;
            }

            @Override
            public String toString() {
                return "database address"; // without its secrets
            }
        };
    }
}
