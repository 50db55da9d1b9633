package org.pgbaton.session;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LocationAwareLogger;
import org.slf4j.spi.LoggingEventAware;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * How Baton logs: what is said is one line, whatever is in it; see {@link Printable}. A throwable is passed on as it is, {@link LogFields} also by name. Everything
 * else, levels and names too, is the application's own logger. Thread-safe.
 */
public final class LineLogger extends AbstractLogger {
    private static final long serialVersionUID = 1L;
    private static final String HERE = LineLogger.class.getName();

    private final transient Logger logger;

    private LineLogger(Logger logger) {
        this.logger = logger;
        this.name = logger.getName();
    }

    public static Logger of(Class<?> owner) {
        return new LineLogger(LoggerFactory.getLogger(owner));
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return HERE;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable throwable) {
        String line = Printable.line(MessageFormatter.basicArrayFormat(pattern, arguments));
        Map<String, Object> fields = fields(arguments);
        if (!fields.isEmpty() && logger instanceof LoggingEventAware) {
            LoggingEventBuilder event = logger.makeLoggingEventBuilder(level).setCause(throwable);
            for (Map.Entry<String, Object> field : fields.entrySet()) {
                event = event.addKeyValue(field.getKey(), field.getValue());
            }
            event.log("{}", line);
        } else if (logger instanceof LocationAwareLogger aware) {
            aware.log(marker, HERE, level.toInt(), line, null, throwable);
        } else {
            // The line is an argument, because it may contain braces.
            logger.makeLoggingEventBuilder(level).setCause(throwable).log("{}", line);
        }
    }

    private static Map<String, Object> fields(Object @Nullable [] arguments) {
        if (arguments == null) {
            return Map.of();
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Object each : arguments) {
            if (each instanceof LogFields known) {
                fields.putAll(known.logFields());
            }
        }
        return fields;
    }

    @Override
    public boolean isTraceEnabled() {
        return logger.isTraceEnabled();
    }

    @Override
    public boolean isTraceEnabled(Marker marker) {
        return logger.isTraceEnabled(marker);
    }

    @Override
    public boolean isDebugEnabled() {
        return logger.isDebugEnabled();
    }

    @Override
    public boolean isDebugEnabled(Marker marker) {
        return logger.isDebugEnabled(marker);
    }

    @Override
    public boolean isInfoEnabled() {
        return logger.isInfoEnabled();
    }

    @Override
    public boolean isInfoEnabled(Marker marker) {
        return logger.isInfoEnabled(marker);
    }

    @Override
    public boolean isWarnEnabled() {
        return logger.isWarnEnabled();
    }

    @Override
    public boolean isWarnEnabled(Marker marker) {
        return logger.isWarnEnabled(marker);
    }

    @Override
    public boolean isErrorEnabled() {
        return logger.isErrorEnabled();
    }

    @Override
    public boolean isErrorEnabled(Marker marker) {
        return logger.isErrorEnabled(marker);
    }
}
