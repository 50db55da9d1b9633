package org.pgbaton.server.notice;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.Printable;
import org.pgbaton.log.Message;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.slf4j.LoggerFactory;

/** Writes a line for each notice, to standard output or to the log of the process. Line breaks in values become blanks. */
final class LineChannelKind implements ChannelKind {
    private final String name;
    private final String meaning;
    private final String target;
    private final Consumer<String> out;

    private LineChannelKind(String name, String meaning, String target, Consumer<String> out) {
        this.name = name;
        this.meaning = meaning;
        this.target = target;
        this.out = out;
    }

    static LineChannelKind stdout() {
        return new LineChannelKind(
                "stdout", "Standard output: a line for each notice.", "standard output", LineChannelKind::print);
    }

    static LineChannelKind log() {
        return new LineChannelKind(
                "log",
                "The log of this process, on standard error: a line for each notice.",
                "the process's log",
                line -> LoggerFactory.getLogger("org.pgbaton.channel").info("{}", line));
    }

    private static void print(String line) {
        PrintStream out = System.out;
        synchronized (out) {
            out.println(Printable.line(line));
            if (out.checkError()) { // flushes, too
                throw new HandlerException(Verdict.OUTAGE, "Standard output takes no lines any more: was it closed?");
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String meaning() {
        return meaning;
    }

    @Override
    public Section section() {
        return Section.of(name);
    }

    @Override
    public Template.Escaping escaping() {
        return Template.Escaping.LINE;
    }

    @Override
    public Carrier open(Settings settings, Templates templates) {
        return new Lines(target, out, templates.text());
    }

    private record Lines(
            String target, Consumer<String> out, @Nullable Template template) implements Carrier {
        @Override
        public Notice notice(List<RowChange> changes) {
            return Notice.of(
                    "line",
                    Templates.filled(template, changes, ChangeText.text(changes).replace("\n", " ")));
        }

        @Override
        public CompletionStage<?> send(Notice notice, Message message, Delivery delivery) {
            out.accept(notice.get("line"));
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {}
    }
}
