package org.pgbaton.server.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.server.command.NamedDatabase;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.serve.BatonYaml;

/**
 * The databases of a file, each served on its own, so that one that is away delays only itself. Thread-safe.
 *
 * <p>Ready is a process that serves at least one database and was refused by none: starting it anew brings back no database, but a refusal may be the
 * fault of its file.
 */
final class ServedDatabases implements AutoCloseable {
    private final List<DatabaseRun> runs;
    private final ServePort port;
    private volatile BatonYaml yaml;

    /** @param runs one without a name, or several */
    ServedDatabases(BatonYaml yaml, List<DatabaseRun> runs, ServePort port) {
        this.yaml = yaml;
        this.runs = List.copyOf(runs);
        this.port = port;
    }

    private boolean isSeveral() {
        return !runs.get(0).name().isEmpty();
    }

    /** Returns at once. */
    void start() {
        port.open("/livez", () -> {
            boolean alive = runs.stream().allMatch(DatabaseRun::isAlive);
            return ServePort.json(alive ? 200 : 503, Map.of("alive", alive));
        });
        if (isSeveral()) {
            showSeveral();
        } else {
            DatabaseRun only = runs.get(0);
            port.open("/readyz", () -> ServePort.json(only.isReady() ? 200 : 503, only.readiness()));
            port.leader(name -> ServePort.leader(only.baton(), name));
        }
        runs.forEach(DatabaseRun::start);
    }

    private void showSeveral() {
        port.open("/readyz", this::readyz);
        for (DatabaseRun run : runs) {
            port.open("/readyz/" + run.name(), () -> ServePort.json(run.isReady() ? 200 : 503, readiness(run)));
            port.meter(run.name(), run::isReady);
        }
        port.leader(this::leader);
        port.list(() -> {
            Map<String, String> all = new LinkedHashMap<>();
            runs.forEach(run -> all.put(run.name(), run.state()));
            return all;
        });
        port.tellAddresses();
    }

    private Answer.Whole readyz() {
        boolean ready =
                runs.stream().noneMatch(DatabaseRun::isRefused) && runs.stream().anyMatch(DatabaseRun::isReady);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ready", ready);
        answer.put("databases", runs.stream().map(ServedDatabases::readiness).toList());
        return ServePort.json(ready ? 200 : 503, answer);
    }

    private static Map<String, Object> readiness(DatabaseRun run) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("name", run.name());
        answer.putAll(run.readiness());
        return answer;
    }

    /** @param path the name of a database, a slash, and that of a leadership */
    private Answer.Whole leader(String path) {
        int slash = path.indexOf('/');
        return runs.stream()
                .filter(run -> slash > 0 && run.name().equals(path.substring(0, slash)))
                .findFirst()
                .map(run -> ServePort.leader(run.baton(), path.substring(slash + 1)))
                .orElseGet(() -> ServePort.json(404, Map.of("leads", false)));
    }

    /**
     * Waits until one is served.
     *
     * @throws RuntimeException if the first try has failed on all of them: why one was refused, or else why one is away
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the other future tells
    void awaitOne() throws InterruptedException {
        CompletableFuture<Void> one = new CompletableFuture<>();
        List<DatabaseRun> failed = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (DatabaseRun run : runs) {
            run.firstTry().whenComplete((done, failure) -> {
                if (failure == null) {
                    one.complete(null);
                    return;
                }
                synchronized (failures) {
                    failed.add(run);
                    failures.add(run.isRefused() ? 0 : failures.size(), failure);
                    if (failed.size() == runs.size()) {
                        one.completeExceptionally(failures.get(0));
                    }
                }
            });
        }
        try {
            one.get();
        } catch (ExecutionException none) {
            if (isSeveral()) {
                Output.complain("baton: None of the " + runs.size() + " databases can be served.");
            }
            throw thrown(none.getCause());
        }
    }

    private static RuntimeException thrown(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
    }

    /** Runs what the file says now; each database in the background. */
    void reload(BatonYaml next) {
        if (!names(next).equals(names(yaml))) {
            // A relay that is to run on another database from now on would end here, and begin nowhere.
            Output.complain("baton: SIGHUP: nothing was changed: " + next.file()
                    + " has other databases than this process serves, which needs a restart.");
            return;
        }
        List<String> later = next.restartNeededFor(yaml);
        yaml = next;
        runs.forEach(run -> run.reload(next));
        later.forEach(section -> Output.warn("baton: '" + section + "' in " + next.file()
                + " has changed, which needs a restart: until then it is as it was."));
    }

    private static Set<String> names(BatonYaml file) {
        return file.databases().stream().map(NamedDatabase::name).collect(Collectors.toSet());
    }

    @Override
    public void close() {
        runs.forEach(DatabaseRun::end);
        runs.forEach(DatabaseRun::close);
    }
}
