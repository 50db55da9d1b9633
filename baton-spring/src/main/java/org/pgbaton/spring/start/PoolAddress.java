package org.pgbaton.spring.start;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.common.BaseDataSource;
import org.springframework.util.ClassUtils;

/** What a pool, or the driver's own data source, says about its database. */
public final class PoolAddress {
    private static final boolean HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", PoolAddress.class.getClassLoader());

    private PoolAddress() {}

    /** The address behind a data source; empty if it does not tell. */
    public static Optional<DatabaseAddress> of(DataSource source) {
        if (HIKARI) {
            Optional<DatabaseAddress> hikari = Hikari.of(source);
            if (hikari.isPresent()) {
                return hikari;
            }
        }
        return unwrapped(source, BaseDataSource.class)
                .map(driver -> DatabaseAddress.of(driver.getUrl(), driver.getUser(), driver.getPassword()));
    }

    /** What the pool gives to the driver besides the URL. */
    public static Map<String, String> driverProperties(DataSource source) {
        return HIKARI ? Hikari.driverProperties(source) : Map.of();
    }

    private static <T> Optional<T> unwrapped(DataSource source, Class<T> type) {
        if (type.isInstance(source)) {
            return Optional.of(type.cast(source));
        }
        try {
            return source.isWrapperFor(type) ? Optional.of(source.unwrap(type)) : Optional.empty();
        } catch (SQLException | RuntimeException closed) {
            return Optional.empty(); // it does not tell: a proxy that unwraps nothing, a route that is not known here
        }
    }

    /** Apart, so that it is loaded only if the class is there. */
    private static final class Hikari {
        static Optional<DatabaseAddress> of(DataSource source) {
            return unwrapped(source, HikariDataSource.class)
                    .filter(pool -> pool.getJdbcUrl() != null)
                    .map(HikariAddress::new);
        }

        static Map<String, String> driverProperties(DataSource source) {
            Map<String, String> properties = new HashMap<>();
            unwrapped(source, HikariDataSource.class)
                    .filter(pool -> pool.getJdbcUrl() != null)
                    .ifPresent(pool -> pool.getDataSourceProperties()
                            .forEach((name, value) -> properties.put(String.valueOf(name), String.valueOf(value))));
            return properties;
        }
    }

    /** Asks the pool each time: its password may have been changed. */
    private record HikariAddress(HikariDataSource pool) implements DatabaseAddress {
        @Override
        public @Nullable String url() {
            return pool.getJdbcUrl();
        }

        @Override
        public @Nullable String user() {
            return pool.getUsername();
        }

        @Override
        public @Nullable String password() {
            return pool.getPassword();
        }

        @Override
        public String toString() {
            return "the address of the pool";
        }
    }
}
