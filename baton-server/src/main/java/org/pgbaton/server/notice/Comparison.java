package org.pgbaton.server.notice;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/**
 * A condition on the value of a column. Two numbers are compared as numbers, everything else as text, character by character. As in SQL,
 * null is neither equal nor unequal to anything, neither less nor more. Immutable.
 */
interface Comparison {
    /** @throws CannotTell if the values cannot be compared */
    boolean holds(@Nullable Object value);

    /** Two values cannot be compared, such as a list and a number. */
    final class CannotTell extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CannotTell(String why) {
            super(why);
        }
    }

    Key<String> EQUAL = Key.optional("==", Scalar.text(), "The column has this value.");
    Key<String> UNEQUAL = Key.optional("!=", Scalar.text(), "The column has another value, and is not null.");
    Key<String> LESS = Key.optional("<", Scalar.text(), "Less than this.");
    Key<String> AT_MOST = Key.optional("<=", Scalar.text(), "This or less.");
    Key<String> MORE = Key.optional(">", Scalar.text(), "More than this.");
    Key<String> AT_LEAST = Key.optional(">=", Scalar.text(), "This or more.");
    Key<List<String>> IN = Key.optional("in", Scalar.text().list(), "One of these values.");
    Key<Boolean> IS = Key.optional("is", Scalar.nullness(), "null or not null.");

    Section SECTION = Section.of("comparison", EQUAL, UNEQUAL, LESS, AT_MOST, MORE, AT_LEAST, IN, IS)
            .check(settings -> {
                if (settings.isWhole() && of(settings).isEmpty()) {
                    settings.problem(settings.line(), "a comparison is missing: give ==, !=, <, <=, >, >=, in or is");
                }
            });

    /** Several comparisons that must all hold, or a text that the value must be equal to. */
    Kind<List<Comparison>> KIND = SECTION.kind().map(Comparison::of).orText(text -> List.of(equal(text)));

    static List<Comparison> of(Settings settings) {
        List<Comparison> all = new ArrayList<>();
        add(all, settings.find(EQUAL), Comparison::equal);
        add(
                all,
                settings.find(UNEQUAL),
                text -> value -> value != null && !equal(text).holds(value));
        add(all, settings.find(LESS), text -> value -> value != null && order(value, text) < 0);
        add(all, settings.find(AT_MOST), text -> value -> value != null && order(value, text) <= 0);
        add(all, settings.find(MORE), text -> value -> value != null && order(value, text) > 0);
        add(all, settings.find(AT_LEAST), text -> value -> value != null && order(value, text) >= 0);
        add(all, settings.find(IN), texts -> value -> {
            boolean found = false;
            for (String text : texts) {
                found |= equal(text).holds(value);
            }
            return found;
        });
        add(all, settings.find(IS), isNull -> value -> isNull == (value == null));
        return List.copyOf(all);
    }

    private static <T> void add(List<Comparison> all, @Nullable T written, Function<T, Comparison> meaning) {
        if (written != null) {
            all.add(meaning.apply(written));
        }
    }

    static Comparison equal(String text) {
        return value -> value instanceof String there ? there.equals(text) : value != null && order(value, text) == 0;
    }

    private static int order(Object value, String text) {
        BigDecimal right = number(text);
        if (value instanceof Number number) {
            if (right == null) {
                throw new CannotTell("the number " + number + " cannot be compared with '" + shown(text) + "'");
            }
            return decimal(number).compareTo(right);
        }
        if (value instanceof Boolean truth) {
            if (!text.equals("true") && !text.equals("false")) {
                throw new CannotTell(truth + " cannot be compared with '" + shown(text) + "'");
            }
            return Boolean.compare(truth, Boolean.parseBoolean(text));
        }
        if (value instanceof String there) {
            BigDecimal left = number(there);
            if (right != null && left == null) {
                throw new CannotTell("the text '" + shown(there) + "' cannot be compared with the number " + right);
            }
            return right != null && left != null ? left.compareTo(right) : there.compareTo(text);
        }
        throw new CannotTell((value instanceof Map ? "an object" : "a list") + " cannot be compared with anything");
    }

    private static BigDecimal decimal(Number number) {
        return number instanceof BigDecimal decimal
                ? decimal
                : number instanceof BigInteger whole ? new BigDecimal(whole) : new BigDecimal(number.toString());
    }

    /** Null if the text is no number, or a number so large that computing with its digits would take time and memory. */
    private static @Nullable BigDecimal number(String text) {
        return text.length() <= 200 && text.matches("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d{1,3})?")
                ? new BigDecimal(text)
                : null;
    }

    private static String shown(String text) {
        return ChangeText.shortened(text, 60);
    }
}
