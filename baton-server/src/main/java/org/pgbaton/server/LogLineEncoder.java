package org.pgbaton.server;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgbaton.database.Printable;
import org.pgbaton.server.command.LogFormat;
import org.slf4j.event.KeyValuePair;

/**
 * A log line as text or as JSON, whatever is chosen when it is written. In JSON it has the fields that the line was logged with, such as
 * subscription, key and epoch, those of the MDC, and a stack trace as {@code error}.
 */
final class LogLineEncoder extends EncoderBase<ILoggingEvent> {
    private static final byte[] NOTHING = new byte[0];

    private final PatternLayout text;

    LogLineEncoder(PatternLayout text) {
        this.text = text;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        String line = LogFormat.current() == LogFormat.JSON ? json(event) + "\n" : text.doLayout(event);
        return line.getBytes(StandardCharsets.UTF_8);
    }

    private static String json(ILoggingEvent event) {
        Map<String, Object> fields = new LinkedHashMap<>(event.getMDCPropertyMap());
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair each : event.getKeyValuePairs()) {
                fields.put(each.key, each.value instanceof Number ? each.value : String.valueOf(each.value));
            }
        }
        fields.put("thread", event.getThreadName());
        if (event.getThrowableProxy() != null) {
            fields.put("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return LogFormat.json(
                event.getInstant().toString(),
                event.getLevel().toString(),
                event.getLoggerName(),
                Printable.line(event.getFormattedMessage()),
                fields);
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
