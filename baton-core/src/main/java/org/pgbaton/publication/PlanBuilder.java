package org.pgbaton.publication;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureBuilder;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.database.SchemaName;
import org.pgbaton.pgoutput.Operation;
import org.pgbaton.session.Lease;

/** Collects and checks the settings of a capture, and starts it. Not thread-safe. */
public final class PlanBuilder implements CaptureBuilder {
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,39}");
    private static final Pattern SLOT = Pattern.compile("[a-z0-9_]{1,63}");

    /** Starts a capture. */
    @FunctionalInterface
    public interface Starter {
        /** @param wait whether to return only when the slot exists */
        Capture start(CapturePlan plan, Lease lease, boolean wait);
    }

    private final SchemaName schema;
    private final Starter starter;
    private final Consumer<CapturePlan> checker;
    private final String name;
    private final List<CapturedTable> tables = new ArrayList<>();
    private Set<CapturedOperation> operations = EnumSet.allOf(CapturedOperation.class);
    private List<String> key = List.of();
    private @Nullable String messages;
    private String log;
    private @Nullable String publication;
    private @Nullable String slot;
    private boolean existingRows;
    private Lease lease = Lease.DEFAULT;

    /** @param checker refuses a plan that cannot be captured */
    public PlanBuilder(SchemaName schema, Starter starter, Consumer<CapturePlan> checker, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + (name.length() <= 60 ? name : name.substring(0, 60) + "…")
                            + "' cannot be the name of a capture: use 1 to 40 small letters, digits and underscores, not starting with a digit.");
        }
        this.schema = schema;
        this.starter = starter;
        this.checker = checker;
        this.name = name;
        this.log = name;
    }

    @Override
    public CaptureBuilder table(String table) {
        return table(CapturedTable.named(table));
    }

    @Override
    public CaptureBuilder table(CapturedTable table) {
        tables.add(table);
        return this;
    }

    @Override
    public CaptureBuilder operations(CapturedOperation first, CapturedOperation... more) {
        this.operations = EnumSet.of(first, more);
        return this;
    }

    @Override
    public CaptureBuilder key(String... columns) {
        this.key = List.of(columns);
        return this;
    }

    @Override
    public CaptureBuilder messages(String prefix) {
        this.messages = prefix;
        return this;
    }

    @Override
    public CaptureBuilder existingRows() {
        this.existingRows = true;
        return this;
    }

    @Override
    public CaptureBuilder into(String log) {
        this.log = log;
        return this;
    }

    @Override
    public CaptureBuilder publication(String name) {
        this.publication = name;
        return this;
    }

    @Override
    public CaptureBuilder slot(String name) {
        if (!SLOT.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' cannot be the name of a slot: use 1 to 63 small letters, digits and underscores.");
        }
        this.slot = name;
        return this;
    }

    @Override
    public CaptureBuilder lease(Duration length) {
        this.lease = new Lease(length);
        return this;
    }

    @Override
    public Capture start() {
        return starter.start(plan(), lease, true);
    }

    @Override
    public Capture startWithoutWaiting() {
        return starter.start(plan(), lease, false);
    }

    @Override
    public void check() {
        checker.accept(plan());
    }

    private CapturePlan plan() {
        if (tables.isEmpty() && messages == null) {
            throw new CaptureException("Capture '" + name + "' has nothing to capture: name a table.");
        }
        return new CapturePlan(
                name,
                List.copyOf(tables),
                operations.stream()
                        .map(operation -> Operation.valueOf(operation.name()))
                        .collect(Collectors.toSet()),
                key,
                messages,
                existingRows,
                log,
                publication == null ? defaultName() : publication,
                publication != null,
                slot == null ? defaultName() : slot);
    }

    /** A schema's name may have 50 characters. It is cut, so that the whole is not longer than the 63 characters of a slot's name. */
    private String defaultName() {
        String prefix = schema.name().toLowerCase(Locale.ROOT);
        return prefix.substring(0, Math.min(prefix.length(), 62 - name.length())) + "_" + name;
    }
}
