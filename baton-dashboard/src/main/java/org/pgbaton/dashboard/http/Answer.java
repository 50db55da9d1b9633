package org.pgbaton.dashboard.http;

import java.util.LinkedHashMap;
import java.util.Map;

/** The answer to a request: a whole body, or events without an end. */
public sealed interface Answer {

    /**
     * A body.
     *
     * @param type the content type, with its charset
     */
    record Whole(int status, String type, Map<String, String> headers, String body) implements Answer {
        /** The same with one more header. */
        public Whole with(String name, String value) {
            Map<String, String> more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Whole(status, type, more, body);
        }
    }

    /** Server-sent events. The server runs the stream on a thread that may block, until the stream returns. */
    record Events(Map<String, String> headers, Stream stream) implements Answer {}

    /** Sends events until the client has gone. */
    @FunctionalInterface
    interface Stream {
        /** @throws InterruptedException if the server ends */
        void run(Sink sink) throws InterruptedException;
    }

    /** Where events go. */
    @FunctionalInterface
    interface Sink {
        /**
         * Sends one event.
         *
         * @param data without line breaks
         * @return false if the client has gone
         */
        boolean send(String event, String data);
    }

    /** A body that is text. */
    static Whole text(int status, String type, String body) {
        return new Whole(status, type + "; charset=utf-8", Map.of(), body);
    }

    /** Sends the browser to another page, by GET. */
    static Whole seeOther(String location) {
        return text(303, "text/plain", "").with("Location", location);
    }
}
