package org.pgbaton.server.lead;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.Output;

/** Finds out whether a command can be started, before a bid for leadership. The exit codes are those of shells. */
final class Executable {
    private Executable() {}

    /** @return 0, or the exit code after a sentence on standard error */
    static int problem(String command) {
        if (find(command).isPresent()) {
            return 0;
        }
        if (places(command).stream().anyMatch(Files::exists)) {
            Output.say("baton: '" + shortened(command) + "' cannot be executed; check its permissions.");
            return ExitCode.CANNOT_EXECUTE;
        }
        Output.say("baton: The command '" + shortened(command) + "' was not found; check its name and your PATH.");
        return ExitCode.NOT_FOUND;
    }

    static Optional<Path> find(String command) {
        return places(command).stream().filter(Executable::runs).findFirst();
    }

    private static List<Path> places(String command) {
        if (command.isEmpty() || command.indexOf('\0') >= 0) {
            return List.of();
        }
        if (command.contains("/")) {
            return List.of(Path.of(command));
        }
        String path = System.getenv("PATH");
        return Arrays.stream((path == null ? "" : path).split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, command))
                .toList();
    }

    private static boolean runs(Path file) {
        return Files.isExecutable(file) && !Files.isDirectory(file);
    }

    private static String shortened(String command) {
        return command.length() <= 80 ? command : command.substring(0, 80) + "…";
    }
}
