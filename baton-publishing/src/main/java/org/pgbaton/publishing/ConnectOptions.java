package org.pgbaton.publishing;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How to connect to a broker, apart from its address.
 *
 * @param passwordFile null if the password is in the address, or there is none
 * @param tls null for an address without TLS
 * @param limit for messages, and for each step of connecting
 */
public record ConnectOptions(
        @Nullable Path passwordFile, @Nullable SSLContext tls, Duration limit) {
    /**
     * The password to log in with.
     *
     * @param inAddress the one in the address
     * @return what is in the password file now; the one in the address if there is no such file
     * @throws IOException if the file cannot be read
     */
    public String password(String inAddress) throws IOException {
        Path file = passwordFile;
        return file == null ? inAddress : SecretFile.read(file);
    }
}
