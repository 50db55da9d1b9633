package org.pgbaton.mail;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.SecretFile;

/** A mail server, and how to talk to it. Shows no password. Immutable. */
record MailServer(
        String host,
        int port,
        Tls tls,
        @Nullable String user,
        @Nullable String password,
        @Nullable Path passwordFile,
        SSLSocketFactory ssl) {

    Properties properties(CuttableSockets sockets, Duration limit, String sender) {
        String millis = Long.toString(limit.toMillis());
        Properties all = new Properties();
        // Without these the library waits for ever.
        all.setProperty("mail.smtp.connectiontimeout", millis);
        all.setProperty("mail.smtp.timeout", millis);
        all.setProperty("mail.smtp.writetimeout", millis);
        all.setProperty("mail.smtp.from", sender);
        all.setProperty("mail.smtp.auth", Boolean.toString(user != null));
        all.setProperty("mail.smtp.starttls.enable", Boolean.toString(tls == Tls.STARTTLS));
        all.setProperty("mail.smtp.starttls.required", Boolean.toString(tls == Tls.STARTTLS));
        all.setProperty("mail.smtp.ssl.enable", Boolean.toString(tls == Tls.IMPLICIT));
        all.setProperty("mail.smtp.ssl.checkserveridentity", "true");
        // A mail goes to all of its recipients or to none.
        all.setProperty("mail.smtp.sendpartial", "false");
        all.setProperty("mail.smtp.quitwait", "false");
        all.setProperty("mail.smtp.socketFactory.fallback", "false");
        all.setProperty("mail.smtp.ssl.socketFactory.fallback", "false");
        all.put("mail.smtp.socketFactory", sockets.plain());
        all.put("mail.smtp.ssl.socketFactory", sockets.secure());
        return all;
    }

    /** The password; if it is in a file, the file's present content. */
    @Nullable
    String currentPassword() throws IOException {
        return passwordFile == null ? password : SecretFile.read(passwordFile);
    }

    /** Trusts these authorities, or the ones that Java trusts. */
    static SSLSocketFactory trusting(@Nullable Path authorities) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, authorities == null ? null : trust(authorities).getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException | IOException unusable) {
            throw new IllegalArgumentException("The certificates of authorities in " + authorities
                    + " cannot be used: it must be a readable file of certificates in PEM form.");
        }
    }

    private static TrustManagerFactory trust(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(file)) {
            int number = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("authority-" + number++, each);
            }
            if (number == 0) {
                throw new IOException("empty");
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust;
    }

    @Override
    public String toString() {
        return "mail server " + host + ":" + port;
    }
}
