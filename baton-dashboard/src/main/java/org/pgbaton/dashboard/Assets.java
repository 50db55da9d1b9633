package org.pgbaton.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.dashboard.http.Request;

/** The files of the pages, from this jar: nothing comes from elsewhere, so that it works without the internet. */
final class Assets {
    private static final Map<String, Asset> ALL = Map.of(
            "dashboard.css", new Asset("dashboard.css", "text/css"),
            "dashboard.js", new Asset("dashboard.js", "text/javascript"),
            "icon.svg", new Asset("icon.svg", "image/svg+xml"));

    private Assets() {}

    private record Asset(String text, String type, String tag) {
        Asset(String file, String type) {
            this(read(file), type, "\"" + Integer.toHexString(read(file).hashCode()) + "\"");
        }
    }

    static Answer answer(String file, Request request) {
        Asset asset = ALL.get(file);
        if (asset == null) {
            throw new RefusedException(404, "There is no file of that name.");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("ETag", asset.tag);
        headers.put("Cache-Control", "no-cache"); // asks whether it is the same, so that an update is seen at once
        boolean known = asset.tag.equals(request.header("if-none-match"));
        return new Answer.Whole(known ? 304 : 200, asset.type + "; charset=utf-8", headers, known ? "" : asset.text);
    }

    static String openApi() {
        return read("openapi.json");
    }

    private static String read(String file) {
        try (InputStream in = Assets.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The file " + file + " is missing in this jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
