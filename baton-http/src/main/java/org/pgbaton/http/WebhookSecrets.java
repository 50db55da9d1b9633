package org.pgbaton.http;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.Redaction;

/** The secrets of a webhook, in every form in which an endpoint may repeat them. */
final class WebhookSecrets {
    private WebhookSecrets() {}

    static Redaction redaction(
            HttpUrl url, boolean secretPath, Collection<String> headers, Collection<String> secrets) {
        List<String> all = new ArrayList<>();
        if (secretPath) {
            all.add(url.encodedPath());
            all.addAll(url.pathSegments());
        }
        add(all, url.encodedQuery());
        add(all, url.query());
        for (int i = 0; i < url.querySize(); i++) {
            add(all, url.queryParameterValue(i));
        }
        for (String header : headers) {
            all.add(header);
            // An endpoint may repeat only the last word of "Bearer abc".
            all.add(header.substring(header.lastIndexOf(' ') + 1));
        }
        for (String secret : secrets) {
            all.add(secret);
            all.add(secret.substring(secret.indexOf('_') + 1));
        }
        return new Redaction(all);
    }

    private static void add(List<String> all, @Nullable String secret) {
        if (secret != null) {
            all.add(secret);
        }
    }
}
