package org.pgbaton.publishing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.slf4j.LoggerFactory;

/**
 * Collects, until it is closed, everything that publishers say about themselves, all messages of their failures, and
 * all log lines of any level. For tests that look for secrets in it. Thread-safe.
 */
public final class EverythingSaid implements AutoCloseable {
    private final StringWriter said = new StringWriter();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final @Nullable Level rootLevel = root.getLevel();
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final java.util.logging.Logger javaRoot = LogManager.getLogManager().getLogger("");
    private final java.util.logging.@Nullable Level javaLevel = javaRoot.getLevel();
    private final Handler javaLogged = new Handler() {
        @Override
        public void publish(LogRecord each) {
            said.append(each.getMessage());
            add(each.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    public EverythingSaid() {
        logged.start();
        root.addAppender(logged);
        root.setLevel(Level.TRACE);
        javaRoot.addHandler(javaLogged);
        javaRoot.setLevel(java.util.logging.Level.ALL);
    }

    /** Publishes the message, whether that works or not. */
    public void publish(Publisher publisher, Message message) {
        said.append(publisher + publisher.target());
        try {
            publisher
                    .publish(message, new Delivery("relay", "", 7, 1))
                    .toCompletableFuture()
                    .join();
        } catch (RuntimeException failed) {
            add(failed);
        }
    }

    private void add(@Nullable Throwable failure) {
        if (failure != null) {
            failure.printStackTrace(new PrintWriter(said, true));
        }
    }

    @Override
    public void close() {
        root.detachAppender(logged);
        root.setLevel(rootLevel);
        javaRoot.removeHandler(javaLogged);
        javaRoot.setLevel(javaLevel);
    }

    @Override
    public String toString() {
        StringBuilder all = new StringBuilder(said.toString());
        for (ILoggingEvent each : List.copyOf(logged.list)) {
            all.append(each.getFormattedMessage()).append(ThrowableProxyUtil.asString(each.getThrowableProxy()));
        }
        return all.toString();
    }
}
