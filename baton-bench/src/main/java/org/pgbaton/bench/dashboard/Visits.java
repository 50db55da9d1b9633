package org.pgbaton.bench.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pgbaton.bench.arena.Samples;

/** Viewers: each follows one page by server-sent events, and asks for another page every second. Thread-safe. */
final class Visits {
    static final List<String> PATHS = List.of(
            "/",
            "/subscriptions",
            "/subscription?name=stuck",
            "/parked",
            "/messages?q=account-7",
            "/leaders",
            "/captures",
            "/actions",
            "/api/v1/status",
            "/api/v1/verdict",
            "/api/v1/lanes",
            "/api/v1/parked?limit=1000");

    /** The numbers of each path: requests, median, p99, worst (microseconds), bytes, failures. */
    static final int WORDS = 6;

    private static final Pattern ASSET = Pattern.compile("(?:src|href)=\"([^\"]*/assets/[^\"]+)\"");
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private final String address;
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, Samples> times = new LinkedHashMap<>();
    private final Map<String, AtomicLong> failures = new LinkedHashMap<>();
    private final Map<String, Long> bytes = new ConcurrentHashMap<>();
    private final Map<Thread, InputStream> streams = new ConcurrentHashMap<>();
    private final AtomicLong events = new AtomicLong();
    private volatile boolean ended;

    private Visits(String address) {
        this.address = address;
    }

    static boolean isPage(String path) {
        return !path.startsWith("/api/");
    }

    /** @param address of the dashboard, without a slash at the end */
    static Visits begin(String address, int viewers) throws IOException, InterruptedException {
        Visits visits = new Visits(address);
        for (String path : PATHS) {
            visits.times.put(path, new Samples());
            visits.failures.put(path, new AtomicLong());
            visits.weigh(path);
        }
        for (int i = 0; i < viewers; i++) {
            int number = i;
            visits.start("follower-" + i, () -> {
                while (!visits.ended) {
                    visits.follow(number); // a stream ends after some minutes, and a browser asks again
                    Thread.sleep(PAUSE.toMillis());
                }
            });
            visits.start("reader-" + i, () -> visits.read(number));
        }
        return visits;
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException | InterruptedException over) {
                        // It was ended; or the stream broke, which the count of events shows.
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** What a browser loads: the page, its scripts and styles. */
    private void weigh(String path) throws IOException, InterruptedException {
        String body = get(path).body();
        long all = length(body);
        if (isPage(path)) {
            Matcher assets = ASSET.matcher(body);
            while (assets.find()) {
                all += length(get(assets.group(1)).body());
            }
        }
        bytes.put(path, all);
    }

    private static long length(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(address + path))
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private void follow(int number) throws IOException, InterruptedException {
        List<String> pages = PATHS.stream().filter(Visits::isPage).toList();
        String view =
                java.net.URLEncoder.encode(pages.get(number % pages.size()), java.nio.charset.StandardCharsets.UTF_8);
        HttpResponse<InputStream> stream = client.send(
                HttpRequest.newBuilder(URI.create(address + "/live?view=" + view))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream in = stream.body()) {
            streams.put(Thread.currentThread(), in);
            byte[] buffer = new byte[65536];
            byte before = 0;
            for (int read = in.read(buffer); read >= 0 && !ended; read = in.read(buffer)) {
                for (int i = 0; i < read; i++) {
                    if (buffer[i] == '\n' && before == '\n') {
                        events.incrementAndGet();
                    }
                    before = buffer[i];
                }
            }
        }
    }

    private void read(int number) throws InterruptedException {
        for (int n = number; !ended; n++) {
            String path = PATHS.get(n % PATHS.size());
            long begin = System.nanoTime();
            try {
                boolean good = get(path).statusCode() == 200;
                known(times, path).add((System.nanoTime() - begin) / 1e6);
                if (!good) {
                    known(failures, path).incrementAndGet();
                }
            } catch (IOException broken) {
                known(failures, path).incrementAndGet();
            }
            Thread.sleep(PAUSE.toMillis());
        }
    }

    private static <T> T known(Map<String, T> map, String path) {
        return java.util.Objects.requireNonNull(map.get(path));
    }

    /** Everybody goes. Returns the number of events, and {@link #words} of each path. */
    String end() throws InterruptedException {
        ended = true;
        for (InputStream stream : streams.values()) {
            try {
                stream.close();
            } catch (IOException alreadyGone) {
                // That was the aim.
            }
        }
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join();
        }
        StringBuilder all = new StringBuilder(Long.toString(events.get()));
        PATHS.forEach(path -> all.append('\t').append(words(path)));
        return all.toString();
    }

    String words(String path) {
        Samples samples = known(times, path);
        long failed = known(failures, path).get();
        if (samples.size() == 0) {
            return "0\t0\t0\t0\t" + bytes.get(path) + "\t" + failed;
        }
        return samples.size() + "\t" + micros(samples.percentile(50)) + "\t" + micros(samples.percentile(99)) + "\t"
                + micros(samples.percentile(100)) + "\t" + bytes.get(path) + "\t" + failed;
    }

    private static long micros(double millis) {
        return Math.round(millis * 1000);
    }
}
