package org.pgbaton.nats;

import java.util.regex.Pattern;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.NameTemplate;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** The subject of messages, which can depend on the message. Immutable. */
final class SubjectTemplate {
    /** Tokens with dots between them, without wildcards, blanks and control characters. */
    private static final Pattern SUBJECT = Pattern.compile("[^.*>\\s\\p{Cntrl}]+(\\.[^.*>\\s\\p{Cntrl}]+)*");

    /** Subjects that NATS itself acts on: requests to JetStream and to the server, and the subjects of replies. */
    private static final Pattern OF_THE_SERVER = Pattern.compile("\\$(JS|SYS|SRV)(\\..*)?|_INBOX(\\..*)?");

    private final NameTemplate template;

    private SubjectTemplate(NameTemplate template) {
        this.template = template;
    }

    static SubjectTemplate parse(String text) {
        NameTemplate template = NameTemplate.parse("subject", text);
        if (!SUBJECT.matcher(template.filledWith("x")).matches()) {
            throw new IllegalArgumentException("The subject '" + text
                    + "' is none: give words with dots between them, without blanks, '*' and '>'.");
        }
        if (OF_THE_SERVER.matcher(text).matches()) {
            throw new IllegalArgumentException("The subject '" + text
                    + "' is one that NATS itself obeys or answers by: nothing can be published there.");
        }
        return new SubjectTemplate(template);
    }

    /** Whether it is the same for all messages. */
    boolean isFixed() {
        return template.isFixed();
    }

    /** @throws HandlerException if it cannot be made for this message */
    String of(Message message) {
        String made = template.of(message);
        if (isFixed()) {
            return made;
        }
        if (!SUBJECT.matcher(made).matches()) {
            throw new HandlerException(
                    Verdict.PARK,
                    "The subject '" + template + "' makes none of " + message
                            + ": NATS wants words with dots between them, without blanks, '*' and '>'.");
        }
        // The configuration may give such a beginning, $KV.bucket for example. A message may not choose one.
        if (template.beginsWithPlaceholder() && (made.startsWith("$") || made.startsWith("_"))) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " makes the subject '" + made
                            + "', which messages may not choose: what begins with '$' or '_' are orders to NATS, and its own.");
        }
        return made;
    }
}
