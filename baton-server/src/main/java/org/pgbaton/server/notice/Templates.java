package org.pgbaton.server.notice;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Problem;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** The templates of a channel. Where one is null, the channel uses a text of its own. Immutable. */
record Templates(
        @Nullable Template text,
        @Nullable Template subject,
        @Nullable Template html) {
    static final Templates NONE = new Templates(null, null, null);

    private static final Key<String> SUBJECT = Key.optional("subject", Scalar.text(), "The subject of a mail.");
    private static final Key<String> TEXT = Key.optional("text", Scalar.text(), "What a mail says.");
    private static final Key<String> HTML =
            Key.optional("html", Scalar.text(), "The same for programs that show HTML; values are escaped.");

    /** The templates as they are written in the file. */
    record Written(
            @Nullable String text,
            @Nullable String subject,
            @Nullable String html) {
        boolean isOfMail() {
            return subject != null || html != null;
        }
    }

    static final Key<Written> KEY = Key.optional(
            "template",
            Section.of("template", SUBJECT, TEXT, HTML)
                    .kind()
                    .map(settings -> new Written(settings.find(TEXT), settings.find(SUBJECT), settings.find(HTML)))
                    .orText(text -> new Written(text, null, null)),
            "The text of a notice, with {{places}} for what is in the change; for mail also subject, text and html. Default: one of "
                    + "Baton's own.");

    static Templates of(@Nullable Written written, Template.Escaping escaping) {
        return written == null
                ? NONE
                : new Templates(
                        compiled(written.text, escaping),
                        compiled(written.subject, Template.Escaping.LINE),
                        compiled(written.html, Template.Escaping.HTML));
    }

    private static @Nullable Template compiled(@Nullable String text, Template.Escaping escaping) {
        return text == null ? null : Template.of(text, escaping);
    }

    /** Notes the problems of the templates. */
    static void check(Settings channel, Written written, ChannelKind kind) {
        if (written.isOfMail() && !(kind instanceof MailChannelKind)) {
            channel.problem(KEY, "'subject' and 'html' are for mail: a " + kind.name() + " has one text");
            return;
        }
        try {
            of(written, kind.escaping());
        } catch (Template.Wrong wrong) {
            channel.problem(
                    KEY,
                    "'template' in " + channel.title() + ": " + Problem.within(String.valueOf(wrong.getMessage())));
        }
    }

    static String filled(@Nullable Template template, List<RowChange> changes, String otherwise) {
        return template == null ? otherwise : template.fill(data(changes));
    }

    private static Map<String, @Nullable Object> data(List<RowChange> changes) {
        return RowChange.data(changes);
    }
}
