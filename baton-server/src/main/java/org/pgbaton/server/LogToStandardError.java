package org.pgbaton.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Log lines go to standard error, from {@code BATON_LOG_LEVEL} (default ERROR: the commands say themselves what a user must
 * know) upwards. In code, because reading an XML file would cost a third of the start-up time.
 */
public final class LogToStandardError extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level [%thread] %msg%n");
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        Level wanted = Level.toLevel(System.getenv("BATON_LOG_LEVEL"), Level.ERROR);
        ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(wanted.isGreaterOrEqual(Level.WARN) ? wanted : Level.WARN); // others talk too much below
        root.addAppender(appender);
        context.getLogger("org.pgbaton").setLevel(wanted);
        context.getLogger("org.pgbaton.channel").setLevel(Level.INFO); // whoever has such a channel wants to read it
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
