package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A question before something is changed: what it does, how much it concerns, and why it is wanted.
 *
 * @param impact a sentence that states it in numbers
 * @param verb on the button
 * @param danger whether it cannot be undone
 * @param fields of the request
 */
public record Confirmation(
        String title, String impact, String verb, boolean danger, boolean reasonRequired, Map<String, String> fields) {

    /** The same with more hidden fields. */
    public Confirmation with(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(fields);
        all.putAll(more);
        return new Confirmation(title, impact, verb, danger, reasonRequired, all);
    }

    Markup markup(String base, String csrf, String back, @Nullable String refusal) {
        List<Markup> hidden = new ArrayList<>();
        fields.forEach((name, value) ->
                hidden.add(Markup.of("<input type=\"hidden\" name=\"{}\" value=\"{}\">", name, value)));
        return Markup.of(
                """
                <section class="panel confirm" id="confirm"><h1>{}</h1>{}<p class="impact">{}</p>\
                <form method="post" action="{}/act"><input type="hidden" name="csrf" value="{}">{}\
                <label for="reason">Why? It is recorded with your name.</label>\
                <input id="reason" name="reason" maxlength="500" autocomplete="off" {} autofocus>\
                <div class="buttons"><button class="button {}" type="submit">{}</button>\
                <a class="button" href="{}" data-close>Cancel</a></div></form></section>""",
                title,
                refusal == null ? Markup.NOTHING : Markup.of("<p class=\"refusal\" role=\"alert\">{}</p>", refusal),
                impact,
                base,
                csrf,
                hidden,
                reasonRequired ? Markup.of("required") : Markup.NOTHING,
                danger ? "danger" : "primary",
                verb,
                back);
    }
}
