package org.pgbaton.server.shell;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.ExitCode;
import org.pgbaton.server.command.UsageException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code baton completion}. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description =
                "The Debian package and the archives have these scripts already. After an update print them again: they know the "
                        + "commands and options of this version.",
        header = {
            "Prints what makes a shell complete commands and options.",
            "",
            "Examples:",
            "  source <(baton completion bash)                                  in ~/.bashrc",
            "  source <(baton completion zsh)                                   in ~/.zshrc, after compinit",
            "  baton completion fish > ~/.config/fish/completions/baton.fish    once",
            ""
        })
public final class CompletionCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    private String shell = "";

    @Override
    public Integer call() {
        CommandLine baton = Objects.requireNonNull(spec).root().commandLine();
        System.out.print(
                switch (shell) {
                    case "bash" -> AutoComplete.bash("baton", baton);
                    case "zsh" -> new ZshCompletion(CommandTree.of(baton)).script();
                    case "fish" -> new FishCompletion(CommandTree.of(baton)).script();
                    default ->
                        throw new UsageException("There is no completion for '" + shell + "': give bash, zsh or fish.");
                });
        System.out.flush();
        return ExitCode.DONE;
    }
}
