package org.pgbaton.testkit.publisher;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate for {@code localhost}, and for that name only, which nobody but {@link #trusting} trusts. Immutable. */
public final class TestCertificate {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path folder;
    private final KeyStore store;

    private TestCertificate(Path folder, KeyStore store) {
        this.folder = folder;
        this.store = store;
    }

    /** Makes a certificate, in a folder of its own. */
    public static TestCertificate create() {
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
                            "broker",
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
                    store.getCertificate("broker").getEncoded());
            pem(
                    folder.resolve("key.pem"),
                    "PRIVATE KEY",
                    store.getKey("broker", PASSWORD).getEncoded());
            return new TestCertificate(folder, store);
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

    /** In PEM form. */
    public Path certificate() {
        return folder.resolve("cert.pem");
    }

    /** The private key, in PEM form. */
    public Path key() {
        return folder.resolve("key.pem");
    }

    /** Trusts this certificate, and no other. */
    public SSLContext trusting() throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("broker", store.getCertificate("broker"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
