package org.pgbaton.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs as Standard Webhooks says: {@code v1,} and HMAC-SHA256 in base64 over {@code id.timestamp.body}, one for each
 * secret, separated by blanks. It signs the body's bytes, whatever they are; the existing libraries take text only.
 * Immutable.
 */
final class Signature {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String PREFIX = "whsec_";

    private final List<SecretKeySpec> keys;

    Signature(List<String> secrets) {
        this.keys = secrets.stream().map(Signature::key).toList();
    }

    private static SecretKeySpec key(String secret) {
        if (!secret.startsWith(PREFIX)) {
            throw new IllegalArgumentException("A webhook's secret must begin with " + PREFIX
                    + ", followed by 24 to 64 random bytes in base64; this one does not begin so.");
        }
        byte[] key;
        try {
            key = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
        } catch (IllegalArgumentException notBase64) {
            // The cause's message would show a part of the secret.
            key = new byte[0];
        }
        if (key.length < 24 || key.length > 64) {
            throw new IllegalArgumentException("A webhook's secret must be " + PREFIX
                    + " and 24 to 64 random bytes in base64; after the prefix of this one there is something else.");
        }
        return new SecretKeySpec(key, ALGORITHM);
    }

    boolean isWanted() {
        return !keys.isEmpty();
    }

    String of(String id, long timestamp, byte[] body) {
        return keys.stream().map(key -> "v1," + sign(key, id, timestamp, body)).collect(Collectors.joining(" "));
    }

    private static String sign(SecretKeySpec key, String id, long timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("This Java has no " + ALGORITHM + ".", impossible);
        }
    }
}
