package org.pgbaton.nats;

import io.nats.client.NKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;

/** An operator, an account and a user, with a file of credentials as {@code nsc} would make it. */
final class TestCredentials {
    private final Path file;
    private final String settings;

    private TestCredentials(Path file, String settings) {
        this.file = file;
        this.settings = settings;
    }

    static TestCredentials create(Path folder) throws IOException, GeneralSecurityException {
        NKey operator = NKey.createOperator(null);
        NKey account = NKey.createAccount(null);
        NKey user = NKey.createUser(null);
        String operatorJwt = jwt("operator", operator, operator);
        String accountJwt = jwt("account", account, operator);
        Path file = Files.writeString(
                folder.resolve("app.creds"), """
                -----BEGIN NATS USER JWT-----
                %s
                ------END NATS USER JWT------

                -----BEGIN USER NKEY SEED-----
                %s
                ------END USER NKEY SEED------
                """.formatted(jwt("user", user, account), new String(user.getSeed())));
        String settings = "operator: " + operatorJwt + "\nresolver: MEMORY\nresolver_preload: { "
                + new String(account.getPublicKey()) + ": " + accountJwt + " }";
        return new TestCredentials(file, settings);
    }

    private static String jwt(String type, NKey subject, NKey issuer) throws IOException, GeneralSecurityException {
        String limits = type.equals("account")
                ? ",\"limits\":{\"subs\":-1,\"conn\":-1,\"leaf\":-1,\"imports\":-1,\"exports\":-1,\"data\":-1,\"payload\":-1,\"wildcards\":true}"
                : type.equals("user") ? ",\"subs\":-1,\"data\":-1,\"payload\":-1" : "";
        String claims = "{\"jti\":\"x\",\"iat\":1700000000,\"iss\":\"" + new String(issuer.getPublicKey())
                + "\",\"name\":\"test\",\"sub\":\"" + new String(subject.getPublicKey()) + "\",\"nats\":{\"type\":\""
                + type + "\",\"version\":2" + limits + "}}";
        String signed = encode("{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}".getBytes(StandardCharsets.UTF_8)) + "."
                + encode(claims.getBytes(StandardCharsets.UTF_8));
        return signed + "." + encode(issuer.sign(signed.getBytes(StandardCharsets.UTF_8)));
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    Path file() {
        return file;
    }

    String settings() {
        return settings;
    }
}
