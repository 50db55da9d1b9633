package org.pgbaton.server.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a manual page for every command into a folder, for those who make packages. */
@Command(name = "man-pages", hidden = true)
public final class ManPagesCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "FOLDER")
    private Path folder = Path.of("");

    @Override
    public Integer call() throws IOException {
        CommandSpec root = Objects.requireNonNull(spec).root();
        String version = root.version()[0].replaceFirst(",.*", "");
        CommandTree baton = CommandTree.of(root.commandLine());
        Files.createDirectories(folder);
        write(baton, null, version);
        return ExitCode.DONE;
    }

    private void write(CommandTree command, @Nullable CommandTree above, String version) throws IOException {
        List<String> seeAlso = new ArrayList<>();
        if (above != null) {
            seeAlso.add(above.words());
            above.subcommands().stream()
                    .filter(beside -> above.words().contains(" ") && !beside.equals(command))
                    .forEach(beside -> seeAlso.add(beside.words()));
        }
        Files.writeString(
                folder.resolve(ManPage.fileName(command.words())), new ManPage(command, version, seeAlso).text());
        for (CommandTree sub : command.subcommands()) {
            write(sub, command, version);
        }
    }
}
