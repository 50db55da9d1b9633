package org.pgbaton.server.config;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads a YAML document as values with their lines.
 *
 * <p>It works on the events of the parser, so that no objects are constructed and nothing is expanded. Aliases, anchors and tags are refused, and
 * nesting deeper than any configuration needs. A file that cannot be parsed has a single problem, and the message does not quote the file.
 */
final class Yaml {
    private static final int DEEPEST = 30;

    private final Iterator<Event> events;
    private final List<Problem> problems;
    private int reached = 1;

    private Yaml(Iterator<Event> events, List<Problem> problems) {
        this.events = events;
        this.problems = problems;
    }

    /** Reads the whole text. What cannot be read becomes {@link Value.Refused}, with a problem noted. */
    static Value read(String text, List<Problem> problems) {
        LoadSettings settings = LoadSettings.builder()
                .setUseMarks(true)
                .setParseComments(false)
                .setCodePointLimit(text.length() + 1) // the caller has limited the length
                .setBufferSize(
                        text.length() + 1) // one buffer: the library fails if two of them divide a surrogate pair
                .build();
        Yaml yaml = new Yaml(new Parse(settings).parseString(text).iterator(), problems);
        try {
            return yaml.document();
        } catch (MarkedYamlEngineException wrong) {
            int line = wrong.getProblemMark().map(Yaml::line).orElse(1);
            problems.add(new Problem(line, "this is no YAML: " + hinted(wrong.getProblem())));
        } catch (ReaderException wrong) {
            int line = 1
                    + (int) text.codePoints()
                            .limit(wrong.getPosition())
                            .filter(c -> c == '\n')
                            .count();
            problems.add(new Problem(
                    line, String.format("the character U+%04X is not allowed in YAML", wrong.getCodePoint())));
        } catch (YamlEngineException | IllegalArgumentException | IndexOutOfBoundsException wrong) {
            // The library fails like this at an incomplete escape, and does not say where.
            problems.add(
                    new Problem(
                            yaml.reached,
                            "in this line or below is something that is no YAML, for instance a \\u in quotation marks without its digits"));
        }
        return new Value.Refused(1);
    }

    private Value document() {
        Value value = new Value.Text(1, "", true);
        boolean seen = false;
        while (events.hasNext()) {
            Event event = events.next();
            switch (event.getEventId()) {
                case DocumentStart -> {
                    if (seen) {
                        problem(event, "a second document begins here; a file has one");
                        return value;
                    }
                    seen = true;
                    value = value(events.next(), 0);
                }
                default -> {
                    // the ends of document and stream
                }
            }
        }
        return value;
    }

    private Value value(Event event, int depth) {
        int line = line(event);
        reached = line;
        if (event instanceof AliasEvent) {
            problem(event, "aliases (*) are not supported: write the value out");
            return new Value.Refused(line);
        }
        refuseAnchorAndTag(event);
        if (event instanceof ScalarEvent scalar) {
            return new Value.Text(line, scalar.getValue(), scalar.isPlain() && isNull(scalar.getValue()));
        }
        if (depth == DEEPEST) {
            throw new MarkedTooDeep(event);
        }
        return event instanceof SequenceStartEvent ? items(line, depth) : entries(line, depth);
    }

    private Value items(int line, int depth) {
        List<Value> values = new ArrayList<>();
        for (Event next = events.next(); next.getEventId() != Event.ID.SequenceEnd; next = events.next()) {
            values.add(value(next, depth + 1));
        }
        return new Value.Items(line, values);
    }

    private Value entries(int line, int depth) {
        List<Value.Entry> entries = new ArrayList<>();
        for (Event next = events.next(); next.getEventId() != Event.ID.MappingEnd; next = events.next()) {
            Value key = value(next, depth + 1);
            Value value = value(events.next(), depth + 1);
            if (key instanceof Value.Text name && !name.absent()) {
                entries.add(new Value.Entry(key.line(), name.text(), value));
            } else {
                problems.add(new Problem(key.line(), "a key must be a text, not " + key.what()));
            }
        }
        return new Value.Entries(line, entries);
    }

    private void refuseAnchorAndTag(Event event) {
        Optional<Anchor> anchor = event instanceof NodeEvent node ? node.getAnchor() : Optional.empty();
        if (anchor.isPresent()) {
            problem(event, "anchors (&) are not supported: write the value out where it is needed");
        }
        Optional<String> tag = event instanceof ScalarEvent scalar
                ? scalar.getTag()
                : event instanceof CollectionStartEvent collection ? collection.getTag() : Optional.empty();
        if (tag.isPresent()) {
            problem(event, "tags (!) are not supported: leave it out");
        }
    }

    private void problem(Event event, String sentence) {
        problems.add(new Problem(line(event), sentence));
    }

    private static boolean isNull(String text) {
        return text.isEmpty() || text.equals("~") || text.equals("null");
    }

    private static int line(Event event) {
        return event.getStartMark().map(Yaml::line).orElse(1);
    }

    private static int line(Mark mark) {
        return mark.getLine() + 1;
    }

    private static String hinted(String problem) {
        return problem.contains("<block") ? problem + "; check how the lines are indented" : problem;
    }

    /** Ends the parsing, so that nothing deeper is read. */
    private static final class MarkedTooDeep extends MarkedYamlEngineException {
        private static final long serialVersionUID = 1L;

        MarkedTooDeep(Event event) {
            super("", Optional.empty(), "it is nested more than " + DEEPEST + " levels deep", event.getStartMark());
        }
    }
}
