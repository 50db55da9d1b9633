package org.pgbaton.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** The other end of a {@link Player}: answers line by line until its standard input ends. Needs nothing but the JDK. */
public final class PlayerLoop {
    /** Executes one command. */
    public interface Play {
        /** @return the answer, words separated by tabs */
        String play(String[] words) throws Exception;
    }

    private PlayerLoop() {}

    public static void run(Play play) throws IOException {
        say("READY");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                say("OK\t" + play.play(line.split("\t", -1)));
            } catch (Throwable failed) {
                say("FAILED\t" + failed.toString().replaceAll("\\s+", " "));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    public static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }
}
