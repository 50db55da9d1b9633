package org.pgbaton.dashboard.page;

import com.google.errorprone.annotations.CompileTimeConstant;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A piece of HTML. Guarantee: it consists of constants of this program and of escaped text, so that no text from the database or from a
 * request becomes a tag, an attribute or a script. The compiler refuses a template that is not a constant. Immutable.
 *
 * <pre>{@code
 * Markup.of("<a href=\"{}\">{}</a>", link, name)
 * }</pre>
 */
public final class Markup {
    static final Markup NOTHING = new Markup("");

    private final String html;

    private Markup(String html) {
        this.html = html;
    }

    /**
     * Fills the places {@code {}} of the template, one after the other. Pieces of HTML, and lists of them, are put in as they are; everything
     * else is text, and escaped. A place in an attribute must be between double quotes.
     */
    static Markup of(@CompileTimeConstant String template, @Nullable Object... values) {
        StringBuilder out = new StringBuilder(template.length() + 32 * values.length);
        Iterator<@Nullable Object> rest = java.util.Arrays.asList(values).iterator();
        int from = 0;
        for (int at = template.indexOf("{}"); at >= 0; at = template.indexOf("{}", from)) {
            out.append(template, from, at);
            put(out, rest.next());
            from = at + 2;
        }
        if (rest.hasNext()) {
            throw new IllegalArgumentException("More values than places: " + template);
        }
        return new Markup(out.append(template, from, template.length()).toString());
    }

    private static void put(StringBuilder out, @Nullable Object value) {
        if (value instanceof Markup piece) {
            out.append(piece.html);
        } else if (value instanceof Collection<?> pieces) {
            pieces.forEach(each -> put(out, each));
        } else if (value != null) {
            escape(out, value.toString());
        }
    }

    private static void escape(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                case '\0' -> out.append('\uFFFD');
                default -> out.append(isShown(c) ? c : '\uFFFD');
            }
        }
    }

    /** Characters that turn the direction of text, or steer terminals, could make a page say something else than it does. */
    private static boolean isShown(char c) {
        boolean control = c < ' ' && c != '\n' && c != '\t' && c != '\r';
        boolean direction = (c >= '\u202A' && c <= '\u202E') || (c >= '\u2066' && c <= '\u2069');
        return !control && !direction;
    }

    static Markup join(List<Markup> pieces) {
        return of("{}", pieces);
    }

    boolean isEmpty() {
        return html.isEmpty();
    }

    @Override
    public String toString() {
        return html;
    }
}
