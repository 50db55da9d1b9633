package org.pgbaton.server.captures;

import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.command.NotThereException;
import org.pgbaton.server.command.OperatorCommand;
import org.pgbaton.server.command.Suggestion;
import picocli.CommandLine.Parameters;

/** A command about one capture, which must exist. */
abstract class CaptureCommand extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The capture.")
    private String name = "";

    @Override
    protected final int run(Baton baton, ChosenDatabase chosen) throws Exception {
        return run(baton, find(baton));
    }

    private CaptureStatus find(Baton baton) {
        List<CaptureStatus> all = baton.captures().list();
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NotThereException("There is no capture '" + name + "'"
                        + Suggestion.didYouMean(
                                name, all.stream().map(CaptureStatus::name).toList())
                        + " 'baton captures list' shows them all."));
    }

    /** @return the exit code */
    abstract int run(Baton baton, CaptureStatus capture) throws Exception;
}
