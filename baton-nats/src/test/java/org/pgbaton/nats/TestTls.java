package org.pgbaton.nats;

import java.io.IOException;
import java.io.InputStream;
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

    private TestTls(Path folder, KeyStore store) {
        this.folder = folder;
        this.store = store;
    }

    static TestTls create() {
        try {
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
                            "nats",
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
                    store.getCertificate("nats").getEncoded());
            pem(
                    folder.resolve("key.pem"),
                    "PRIVATE KEY",
                    store.getKey("nats", PASSWORD).getEncoded());
            return new TestTls(folder, store);
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

    /** For {@code nats.conf}. */
    String setting() {
        return "tls { cert_file: \"" + folder.resolve("cert.pem") + "\", key_file: \"" + folder.resolve("key.pem")
                + "\" }";
    }

    /** Trusts this certificate. */
    SSLContext context() throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("nats", store.getCertificate("nats"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
