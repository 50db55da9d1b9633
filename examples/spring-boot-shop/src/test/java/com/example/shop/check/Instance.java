package com.example.shop.check;

import com.example.shop.ShopApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One process of the shop. Thread-safe. */
final class Instance {
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final Pattern STARTED = Pattern.compile("Started ShopApplication");
    private static final URI NOBODY = URI.create("http://127.0.0.1:1/");

    private final Process process;
    private final CompletableFuture<Integer> started = new CompletableFuture<>();
    private final List<String> output = new ArrayList<>();

    private Instance(Process process) {
        this.process = process;
    }

    static Instance begin(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                ShopApplication.class.getName()));
        command.addAll(List.of(options));
        Instance instance =
                new Instance(new ProcessBuilder(command).redirectErrorStream(true).start());
        Thread reader = new Thread(instance::read, "output of an instance");
        reader.setDaemon(true);
        reader.start();
        return instance;
    }

    /** @throws ExecutionException if it ended; with what it said */
    Instance awaitStart() throws ExecutionException, InterruptedException, TimeoutException {
        started.get(3, TimeUnit.MINUTES);
        return this;
    }

    URI address() {
        return started.isDone() ? URI.create("http://127.0.0.1:" + started.join() + "/orders") : NOBODY;
    }

    /** With {@code kill -9}: it has no time for anything. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private void read() {
        int port = 0;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                Matcher found = PORT.matcher(line);
                if (found.find()) {
                    port = Integer.parseInt(found.group(1));
                }
                if (STARTED.matcher(line).find()) {
                    started.complete(port);
                }
                if (line.contains(" ERROR ")) {
                    System.err.println(line);
                }
            }
        } catch (IOException killed) {
            output.add(killed.toString());
        }
        started.completeExceptionally(
                new IllegalStateException("The shop ended before it had started:\n" + String.join("\n", output)));
    }
}
