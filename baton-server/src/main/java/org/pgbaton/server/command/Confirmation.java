package org.pgbaton.server.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Says what is about to happen, and asks whether to go on. Without a terminal nobody can be asked, and {@code --yes} is required. */
public final class Confirmation {
    @Option(names = "--yes", description = "Do not ask; needed where there is no terminal.")
    private boolean yes;

    /**
     * @param impact a sentence that begins with "This"
     * @return whether to go on
     */
    public boolean given(String impact) throws IOException {
        if (!yes && !Terminal.isInput()) {
            throw new UsageException(impact + " There is no terminal to ask at: add --yes to do it.");
        }
        Output.warn(impact);
        if (yes) {
            return true;
        }
        System.err.print("Go on? [y/N] ");
        System.err.flush();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        String answer = input.readLine();
        if (answer != null
                && (answer.strip().toLowerCase(Locale.ROOT).equals("y")
                        || answer.strip().toLowerCase(Locale.ROOT).equals("yes"))) {
            return true;
        }
        Output.say("Nothing was changed.");
        return false;
    }
}
