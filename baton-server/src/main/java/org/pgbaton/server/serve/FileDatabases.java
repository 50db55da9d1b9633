package org.pgbaton.server.serve;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.DatabaseOptions;
import org.pgbaton.server.command.NamedDatabase;
import picocli.CommandLine.Option;

/** The option {@code -c} of commands that look at the databases of a {@code baton.yaml}. */
public final class FileDatabases {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Look at every database that this baton.yaml names.")
    private @Nullable Path file;

    /**
     * The databases of the file, if it has several. If it has one, options and variables win over it.
     *
     * @throws org.pgbaton.server.command.UsageException if options or variables name another database than the several of the file
     */
    public List<NamedDatabase> several(DatabaseOptions options) {
        if (file == null) {
            return List.of();
        }
        BatonYaml yaml = BatonYaml.read(file, System.getenv());
        List<NamedDatabase> several = yaml.databases();
        if (several.isEmpty()) {
            options.fallBackTo(yaml.database(), yaml.directDatabase(), yaml.schema());
        } else {
            options.refuseAnother(several.stream().map(NamedDatabase::name).toList());
        }
        return several;
    }
}
