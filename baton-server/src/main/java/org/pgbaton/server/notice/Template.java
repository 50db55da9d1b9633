package org.pgbaton.server.notice;

import com.samskivert.mustache.Escapers;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.MustacheException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.http.SlackPublisher;
import org.pgbaton.server.command.Suggestion;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * A text with {@code {{places}}} for what is in a change.
 *
 * <p>Guarantee: text from a row is always a value; it never becomes markup, a header, a part of JSON, or code. Mustache has no expressions. The
 * data are maps, lists and scalars, and a template cannot reach anything else. Tags that switch off escaping, change the delimiters or include
 * other files are refused. In a JSON template, a place between quotation marks gets the characters of a string, any other place a whole JSON
 * value.
 *
 * <p>If a change does not have a name that the template uses, its key is parked. A null value is shown as nothing. Thread-safe.
 */
final class Template {
    /** What the text is, which decides how values are escaped. */
    enum Escaping {
        JSON,
        SLACK,
        HTML,
        /** Plain text of several lines. */
        TEXT,
        /** Plain text of one line. */
        LINE;

        private String escaped(String text) {
            return switch (this) {
                case JSON -> jsonCharacters(text);
                case SLACK -> SlackPublisher.escaped(text);
                case HTML -> Escapers.HTML.escape(text);
                case TEXT -> text;
                case LINE -> text.replaceAll("[\\p{Cntrl}\u0085\u2028\u2029]+", " ");
            };
        }
    }

    /** A template makes no sense. The sentence is shortened, because names in it come from the template and may be long. */
    static final class Wrong extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;
        private static final int LONGEST = 400;

        /** @param line of the template, from 1 */
        Wrong(int line, String sentence) {
            super(ChangeText.shortened(sentence, LONGEST) + " (line " + line + " of the template)");
        }
    }

    private static final List<String> NAMES = List.of(
            "table",
            "operation",
            "key",
            "before",
            "after",
            "row",
            "changed",
            "lsn",
            "committedAt",
            "id",
            "position",
            "count",
            "changes");

    /** Stands for null in a JSON template. No row has this text, because texts in PostgreSQL cannot contain NUL. */
    private static final String NULL = "\u0000null";

    private static final int DEEPEST = 10;

    /** These names mean the current element of a section, which is another one at each level. */
    private static final Set<String> ITSELF = Set.of(".", "this");

    /** The end of the library's messages. */
    private static final Pattern LINE = Pattern.compile("(?s)(.*)(?:@|on) line (\\d{1,9})\\W*");

    private final com.samskivert.mustache.Template compiled;

    private Template(com.samskivert.mustache.Template compiled) {
        this.compiled = compiled;
    }

    /** @throws Wrong if the template makes no sense */
    static Template of(String text, Escaping escaping) {
        String checked = new Reader(text, escaping == Escaping.JSON).checked();
        Mustache.Compiler compiler = Mustache.compiler()
                .withCollector(new PlainData())
                .withEscaper(escaping::escaped)
                .withFormatter(escaping == Escaping.JSON ? Template::jsonValue : ChangeText::value)
                .nullValue(escaping == Escaping.JSON ? NULL : "")
                .strictSections(true)
                .emptyStringIsFalse(true);
        try {
            return new Template(compiler.compile(checked));
        } catch (MustacheException wrong) {
            String message = String.valueOf(wrong.getMessage());
            Matcher line = LINE.matcher(message);
            throw line.matches()
                    ? new Wrong(Integer.parseInt(line.group(2)), line.group(1).strip())
                    : new Wrong(1, message);
        }
    }

    /** @throws HandlerException if the template cannot be filled with these data; the key is parked */
    String fill(Map<String, @Nullable Object> data) {
        try {
            return compiled.execute(data);
        } catch (MustacheException.Context unknown) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The template has {{" + unknown.key + "}} in line " + unknown.lineNo + ", and this "
                            + data.get("operation") + " of " + data.get("table") + " has nothing of that name.");
        } catch (RuntimeException failed) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The template cannot be filled from this " + data.get("operation") + " of " + data.get("table")
                            + ": " + ChangeText.shortened(String.valueOf(failed.getMessage()), 200));
        }
    }

    /** Lets the library see the entries of maps and the elements of lists, and nothing else. */
    private static final class PlainData implements Mustache.Collector {
        @Override
        public @Nullable Iterator<?> toIterator(Object value) {
            return value instanceof Iterable<?> all ? all.iterator() : null;
        }

        @Override
        public Mustache.@Nullable VariableFetcher createFetcher(Object context, String name) {
            return context instanceof Map ? PlainData::fetch : null;
        }

        private static Object fetch(Object context, String name) {
            Map<?, ?> map = (Map<?, ?>) context;
            return map.containsKey(name) ? map.get(name) : com.samskivert.mustache.Template.NO_FETCHER_FOUND;
        }

        @Override
        public <K, V> Map<K, V> createFetcherCache() {
            return new ConcurrentHashMap<>();
        }
    }

    private static String jsonValue(Object value) {
        return NULL.equals(value) ? "null" : RowChange.json(value);
    }

    /** A JSON value as the characters between the quotation marks of a string. */
    private static String jsonCharacters(String json) {
        if (json.equals("null")) {
            return "";
        }
        String quoted = json.startsWith("\"") ? json : RowChange.json(json);
        return quoted.substring(1, quoted.length() - 1);
    }

    /** Reads the tags of a template before the library does. Refuses unwanted ones, and finds out which are within a JSON string. */
    private static final class Reader {
        private final String text;
        private final boolean json;
        private final StringBuilder checked = new StringBuilder();
        private final Deque<String> sections = new ArrayDeque<>();
        private boolean inString;
        private boolean escaped;
        private int line = 1;

        Reader(String text, boolean json) {
            this.text = text;
            this.json = json;
        }

        String checked() {
            int at = 0;
            while (at < text.length()) {
                if (text.startsWith("{{", at)) {
                    at = tag(at);
                } else {
                    literal(text.charAt(at++));
                }
            }
            if (json && inString) {
                throw new Wrong(line, "a string has no closing quotation mark");
            }
            return checked.toString();
        }

        private void literal(char c) {
            checked.append(c);
            line += c == '\n' ? 1 : 0;
            if (escaped) {
                escaped = false;
            } else if (inString && c == '\\') {
                escaped = true;
            } else if (c == '"') {
                inString = !inString;
            }
        }

        /** @return the index after the tag */
        private int tag(int at) {
            int end = text.indexOf("}}", at);
            if (end < 0) {
                throw new Wrong(line, "'{{' has no '}}'");
            }
            // The library trims like this.
            String inside = text.substring(at + 2, end).trim();
            if (inside.startsWith("{") || inside.startsWith("&")) {
                throw new Wrong(
                        line, "{{{name}}} and {{&name}} leave out the escaping, and are refused: write {{name}}");
            }
            if (inside.startsWith("=") || inside.startsWith(">")) {
                throw new Wrong(line, "{{=…=}} and {{>…}} are refused");
            }
            if (inside.isEmpty()) {
                throw new Wrong(line, "{{}} has no name");
            }
            if (json && escaped) {
                throw new Wrong(line, "a backslash before '{{' would escape what is put there: write two, or none");
            }
            // The library would find the end of the tag elsewhere.
            if (inside.contains("{") || inside.contains("}")) {
                throw new Wrong(line, "between '{{' and '}}' stands another brace: leave it out");
            }
            String whole = text.substring(at, end + 2);
            switch (inside.charAt(0)) {
                case '!' -> checked.append(whole);
                case '#', '^' -> {
                    String name = inside.substring(1).trim();
                    known(name);
                    boolean inverted = inside.charAt(0) == '^';
                    refuseNested(inverted ? "" : name);
                    sections.push(inverted ? "" : name);
                    checked.append(whole);
                }
                case '/' -> {
                    sections.poll();
                    checked.append(whole);
                }
                default -> {
                    known(inside);
                    checked.append(json && !inString ? "{{{" + inside + "}}}" : whole);
                }
            }
            line += (int) whole.chars().filter(c -> c == '\n').count();
            return end + 2;
        }

        /** A list within itself would be repeated for each of its elements, at every level. */
        private void refuseNested(String name) {
            if (!name.isEmpty() && !ITSELF.contains(name) && sections.contains(name)) {
                throw new Wrong(
                        line,
                        "{{#" + ChangeText.shortened(name, 60) + "}} stands within itself: close the first one before");
            }
            if (sections.size() == DEEPEST) {
                throw new Wrong(line, "sections are nested more than " + DEEPEST + " deep");
            }
        }

        /** Checks a name outside of sections. Within a section the known names depend on the data. */
        private void known(String name) {
            String first = name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
            boolean top = sections.stream().allMatch(String::isEmpty);
            if (top && !NAMES.contains(first)) {
                String hint = Suggestion.nearest(first, NAMES)
                        .map(near -> ": did you mean '" + near + "'?")
                        .orElse(
                                ": columns are written {{row.name}}, {{after.name}} or {{before.name}}; beside them there are "
                                        + String.join(", ", NAMES));
                throw new Wrong(line, "there is no {{" + ChangeText.shortened(name, 60) + "}}" + hint);
            }
        }
    }
}
