package org.pgbaton.leadership;

/** Which names a leadership can have. */
final class LeadershipNames {
    private static final int LONGEST = 200;

    private LeadershipNames() {}

    static void require(String name) {
        if (name.isBlank()) {
            throw new LeadershipNameException("A leadership needs a name: give 1 to " + LONGEST + " characters.");
        }
        if (name.codePointCount(0, name.length()) > LONGEST) {
            throw new LeadershipNameException("The leadership name '" + name.substring(0, 40) + "…' has "
                    + name.codePointCount(0, name.length()) + " characters: give 1 to " + LONGEST + ".");
        }
        name.codePoints().filter(LeadershipNames::isUnprintable).findFirst().ifPresent(c -> {
            throw new LeadershipNameException(String.format(
                    "The leadership name '%s' contains the control character U+%04X; leave it out.",
                    name.codePoints()
                            .map(each -> isUnprintable(each) ? '?' : each)
                            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append),
                    c));
        });
    }

    private static boolean isUnprintable(int codePoint) {
        return Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE;
    }
}
