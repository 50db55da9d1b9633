package org.pgbaton.spring.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureBuilder;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.spring.property.NamedProperties;
import org.pgbaton.spring.property.PropertyException;
import org.pgbaton.spring.start.StartedWithContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * The captures under {@code baton.captures.NAME}, started with the context. Their logs are made first, so that listeners and relays that start
 * afterwards find them. Starting does not wait for the slots: transactions of others could delay them for long. As Spring calls it.
 */
public final class PropertyCaptures implements StartedWithContext, Ordered {
    private static final String PREFIX = "baton.captures";

    private final Baton baton;
    private final Map<String, CaptureProperties> captures;

    private PropertyCaptures(Baton baton, Map<String, CaptureProperties> captures) {
        this.baton = baton;
        this.captures = captures;
    }

    /**
     * Reads the properties.
     *
     * @throws PropertyException if a capture makes no sense
     */
    public static PropertyCaptures of(Baton baton, Environment environment) {
        Map<String, CaptureProperties> all = NamedProperties.bind(environment, PREFIX, CaptureProperties.class);
        PropertyCaptures found = new PropertyCaptures(baton, all);
        all.forEach(found::check);
        return found;
    }

    private void check(String name, CaptureProperties properties) {
        String path = NamedProperties.path(PREFIX, name);
        if (properties.tables().isEmpty() && properties.messages() == null) {
            throw new PropertyException(
                    path + " has nothing to capture.",
                    "Give " + path + ".tables=public.orders, or " + path + ".messages.");
        }
        if (properties.tables().isEmpty() && properties.snapshot()) {
            throw new PropertyException(
                    path + ".snapshot needs tables.", "Give " + path + ".tables, or leave snapshot out.");
        }
        try {
            var unused = describe(name, properties); // refuses bad values
        } catch (IllegalArgumentException refused) {
            throw PropertyException.of(path, refused);
        }
    }

    @Override
    public List<Capture> start() {
        List<Capture> started = new ArrayList<>();
        try {
            captures.forEach((name, properties) -> {
                makeLog(log(name, properties));
                started.add(describe(name, properties).startWithoutWaiting());
            });
        } catch (RuntimeException failed) {
            started.forEach(Capture::close);
            throw failed;
        }
        return started;
    }

    private void makeLog(String log) {
        if (!baton.logs().names().contains(log)) { // one that is there may have other options
            baton.logs().create(log);
        }
    }

    private static String log(String name, CaptureProperties properties) {
        return properties.log() == null ? name : properties.log();
    }

    private CaptureBuilder describe(String name, CaptureProperties properties) {
        CaptureBuilder builder = baton.capture(name).into(log(name, properties));
        for (CaptureProperties.Table table : properties.tables()) {
            builder.table(new CapturedTable(
                    table.name(),
                    table.columns().isEmpty() ? properties.columns() : table.columns(),
                    table.where() == null ? properties.where() : table.where(),
                    table.key()));
        }
        CapturedOperation[] operations = properties.operations().toArray(CapturedOperation[]::new);
        if (operations.length > 0) {
            builder.operations(operations[0], operations);
        }
        if (!properties.key().isEmpty()) {
            builder.key(properties.key().toArray(String[]::new));
        }
        if (properties.messages() != null) {
            builder.messages(properties.messages());
        }
        if (properties.publication() != null) {
            builder.publication(properties.publication());
        }
        if (properties.slot() != null) {
            builder.slot(properties.slot());
        }
        return properties.snapshot() ? builder.existingRows() : builder;
    }

    /** Before listeners and relays, which may read the logs. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
