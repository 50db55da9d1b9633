package org.pgbaton.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.stream.Collectors;
import org.pgbaton.database.Printable;
import org.pgbaton.server.command.Variables;

/**
 * Sends log lines to standard error, in the {@link org.pgbaton.server.command.LogFormat} that was chosen, from the level {@code BATON_LOG_LEVEL} on. The default is ERROR, because commands tell users themselves
 * what they must know. This is code, because reading an XML file would take a third of the start-up time.
 */
public final class LogToStandardError extends ContextAwareBase implements Configurator {
    /** Libraries log, too. Whatever text is in a message, it cannot begin a line of its own. */
    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %line%n%indented";

    /** The message, in one line. */
    static final class OneLine extends MessageConverter {
        @Override
        public String convert(ILoggingEvent event) {
            return Printable.line(super.convert(event));
        }
    }

    /** A stack trace. Its messages may have several lines; indented, none of them looks like the start of a log line. */
    static final class Indented extends ThrowableProxyConverter {
        @Override
        protected String throwableProxyToString(IThrowableProxy thrown) {
            return Printable.lines(super.throwableProxyToString(thrown)
                            .replace("\r\n", "\n")
                            .stripTrailing())
                    .lines()
                    .map(line -> "    " + line + "\n")
                    .collect(Collectors.joining());
        }
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PatternLayout layout = new PatternLayout();
        layout.setContext(context);
        layout.setPattern(PATTERN);
        layout.getInstanceConverterMap().put("line", OneLine::new);
        layout.getInstanceConverterMap().put("indented", Indented::new);
        layout.start();
        LogLineEncoder encoder = new LogLineEncoder(layout);
        encoder.setContext(context);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        Level wanted = Level.toLevel(Variables.get("BATON_LOG_LEVEL"), Level.ERROR);
        ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(wanted.isGreaterOrEqual(Level.WARN) ? wanted : Level.WARN); // libraries log too much below that
        root.addAppender(appender);
        context.getLogger("org.pgbaton").setLevel(wanted);
        context.getLogger("org.pgbaton.channel").setLevel(Level.INFO); // a channel of the kind "log" writes here
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
