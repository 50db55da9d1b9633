package org.pgbaton.kafka.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Which names a topic can have, and what Baton calls its own. */
public final class TopicNames {
    /** What Baton's own names begin with by default. */
    public static final String PREFIX = "baton";

    private static final Pattern ALLOWED = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
    /** Topics with such names belong to the brokers. */
    private static final String INTERNAL = "__";

    private TopicNames() {}

    static boolean isAllowed(String name) {
        return ALLOWED.matcher(name).matches() && !name.equals(".") && !name.equals("..");
    }

    /** @throws IllegalArgumentException if nothing can be published there */
    public static String checked(String name) {
        if (!isAllowed(name)) {
            throw new IllegalArgumentException(
                    "'" + name + "' cannot name a topic: give 1 to 249 letters, digits, '.', '_' and '-'.");
        }
        if (name.startsWith(INTERNAL) || name.startsWith(progress(PREFIX, ""))) {
            throw new IllegalArgumentException(
                    "'" + name + "' is a topic of Kafka's own or of Baton's, and nothing can be published there.");
        }
        return name;
    }

    /** The progress topic of a subscription: the subscription's own if Kafka allows it, else its allowed characters and a hash. */
    public static String progress(String prefix, String subscription) {
        String plain = subscription.replaceAll("[^a-zA-Z0-9._-]", "-");
        if (!plain.equals(subscription) || subscription.length() > 100) {
            plain = plain.substring(0, Math.min(60, plain.length())) + "-" + hash(subscription);
        }
        return prefix + ".progress." + plain;
    }

    private static String hash(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
