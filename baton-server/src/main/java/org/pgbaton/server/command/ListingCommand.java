package org.pgbaton.server.command;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import picocli.CommandLine.Option;

/**
 * A command that lists things of one type, as a table or as JSON, once or every second.
 *
 * @param <T> the type
 */
public abstract class ListingCommand<T> extends OperatorCommand {
    private final String jsonName;
    private final String emptySentence;

    @Option(names = "--watch", description = "Show it again every second, until Ctrl-C.")
    private boolean watch;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /**
     * @param jsonName the name of the array in JSON
     * @param emptySentence printed in place of an empty table
     */
    protected ListingCommand(String jsonName, String emptySentence) {
        this.jsonName = jsonName;
        this.emptySentence = emptySentence;
    }

    protected abstract List<T> list(Baton baton);

    protected abstract String table(List<T> all);

    protected abstract Map<String, @Nullable Object> asMap(T one);

    @Override
    protected int run(Baton baton, ChosenDatabase chosen) throws Exception {
        Watch.show(watch, () -> show(list(baton)));
        return ExitCode.DONE;
    }

    private void show(List<T> all) {
        if (json) {
            Output.json(Map.of(jsonName, all.stream().map(this::asMap).toList()));
            return;
        }
        Watch.clear(watch);
        if (all.isEmpty()) {
            Output.say(emptySentence);
        } else {
            Output.text(table(all));
        }
    }
}
