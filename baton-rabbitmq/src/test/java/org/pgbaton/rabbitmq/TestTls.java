package org.pgbaton.rabbitmq;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate for {@code localhost}, and for that name only, which nobody trusts but {@link #context}. */
final class TestTls {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path folder;
    private final KeyStore store;
    private final int port;

    private TestTls(Path folder, KeyStore store, int port) {
        this.folder = folder;
        this.store = store;
        this.port = port;
    }

    static TestTls create() {
        try (ServerSocket probe = new ServerSocket(0)) {
            Path folder = Files.createTempDirectory("baton-tls");
            Path file = folder.resolve("keys.p12");
            Process keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-keystore",
                            file.toString(),
                            "-storetype",
                            "PKCS12",
                            "-storepass",
                            "changeit",
                            "-alias",
                            "rabbit",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=localhost",
                            "-ext",
                            "san=dns:localhost")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("keytool.txt").toFile())
                    .start();
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException(Files.readString(folder.resolve("keytool.txt")));
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD);
            }
            pem(
                    folder.resolve("cert.pem"),
                    "CERTIFICATE",
                    store.getCertificate("rabbit").getEncoded());
            pem(
                    folder.resolve("key.pem"),
                    "PRIVATE KEY",
                    store.getKey("rabbit", PASSWORD).getEncoded());
            return new TestTls(folder, store, probe.getLocalPort());
        } catch (IOException | GeneralSecurityException | InterruptedException failure) {
            throw new IllegalStateException("No certificate could be made", failure);
        }
    }

    private static void pem(Path file, String what, byte[] content) throws IOException {
        Files.writeString(
                file,
                "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                        + what + "-----\n");
    }

    /** For {@code rabbitmq.conf}. */
    String[] settings() {
        return new String[] {
            "listeners.ssl.1 = 127.0.0.1:" + port,
            "ssl_options.cacertfile = " + folder.resolve("cert.pem"),
            "ssl_options.certfile = " + folder.resolve("cert.pem"),
            "ssl_options.keyfile = " + folder.resolve("key.pem"),
            "ssl_options.verify = verify_none",
            "max_message_size = 1000000"
        };
    }

    int port() {
        return port;
    }

    /** Trusts this certificate. */
    SSLContext context() throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("rabbit", store.getCertificate("rabbit"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
