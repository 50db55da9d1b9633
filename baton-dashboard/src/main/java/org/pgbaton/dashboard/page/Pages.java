package org.pgbaton.dashboard.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All pages, and what is around each of them. Immutable. */
public final class Pages {
    /** What all pages have around their content. */
    private static final String FRAME = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark"><meta name="base" content="{}">
            <title>{} · Baton</title><link rel="icon" href="{}/assets/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="{}/assets/dashboard.css"><script src="{}/assets/dashboard.js" defer></script></head>
            <body data-live="{}"><a class="skip" href="#main">To the content</a>
            <header class="top"><a class="brand" href="{}"><img src="{}/assets/icon.svg" alt="" width="26" height="26">Baton</a>
            <nav aria-label="Pages"><ul>{}</ul></nav>
            <form class="search" role="search" action="{}/messages"><label class="hidden" for="q">Find a message by id, position or key</label>\
            <input id="q" name="q" type="search" placeholder="Message id or key" value="{}" autocomplete="off" spellcheck="false"></form>
            <button type="button" class="theme" id="theme" aria-label="Switch between light and dark" title="Light or dark">◐</button></header>
            <main id="main" tabindex="-1">{}</main>
            <footer><span id="live-state" class="live" data-state="off">{}</span> <span>You are {}, {}.</span></footer>
            <dialog id="dialog" aria-label="Confirm"></dialog></body></html>
            """;

    private static final Map<String, Page.View> VIEWS = views();

    private static final Map<String, String> MENU = menu();

    private Pages() {}

    private static Map<String, Page.View> views() {
        Map<String, Page.View> views = new LinkedHashMap<>();
        views.put("/", OverviewPage::render);
        views.put("/subscriptions", SubscriptionsPage::render);
        views.put("/subscription", SubscriptionPage::render);
        views.put("/parked", ParkedPage::render);
        views.put("/parked/key", ParkedKeyPage::render);
        views.put("/messages", MessagesPage::render);
        views.put("/leaders", LeadersPage::render);
        views.put("/relays", RelaysPage::render);
        views.put("/captures", CapturesPage::render);
        views.put("/actions", ActionsPage::render);
        return views;
    }

    private static Map<String, String> menu() {
        Map<String, String> menu = new LinkedHashMap<>();
        menu.put("/", "Overview");
        menu.put("/subscriptions", "Subscriptions");
        menu.put("/parked", "Parked");
        menu.put("/leaders", "Leaders");
        menu.put("/relays", "Relays");
        menu.put("/captures", "Captures");
        menu.put("/actions", "Actions");
        return menu;
    }

    /** Null if there is no such page. */
    public static Page.@Nullable View at(String path) {
        return VIEWS.get(path);
    }

    /** A whole page. */
    public static String whole(Page page, Scene scene, @Nullable String notice, boolean live) {
        List<Markup> regions = new ArrayList<>();
        if (notice != null) {
            regions.add(Markup.of("<p class=\"notice\" role=\"status\">{}</p>", notice));
        }
        if (page.section().equals("/messages")) {
            regions.add(Markup.of("<h1>{}</h1>", page.title()));
        } else if (page.regions().stream()
                .noneMatch(each -> each.html().toString().contains("<h1"))) {
            regions.add(
                    Markup.of("<h1 class=\"{}\">{}</h1>", page.section().equals("/") ? "hidden" : "", page.title()));
        }
        for (Page.Region region : page.regions()) {
            regions.add(region(region));
        }
        return frame(page.title(), page.section(), scene, Markup.join(regions), live);
    }

    private static Markup region(Page.Region region) {
        return Markup.of("<div class=\"region\" id=\"r-{}\">{}</div>", region.id(), region.html());
    }

    /** A page that asks before something is changed. */
    public static String question(
            Confirmation confirmation, Scene scene, String csrf, String back, @Nullable String refusal) {
        return frame(confirmation.title(), "", scene, confirmation.markup(scene.base(), csrf, back, refusal), false);
    }

    /** A page with one sentence. */
    public static String sentence(String title, String sentence, Scene scene) {
        return frame(
                title,
                "",
                scene,
                Parts.panel(title, Markup.of("<p class=\"refusal\" role=\"alert\">{}</p>", sentence)),
                false);
    }

    private static String frame(String title, String section, Scene scene, Markup body, boolean live) {
        return Markup.of(
                        FRAME,
                        scene.base(),
                        title,
                        scene.base(),
                        scene.base(),
                        scene.base(),
                        live ? "yes" : "no",
                        scene.link("/"),
                        scene.base(),
                        menu(section, scene),
                        scene.base(),
                        scene.asked("q"),
                        body,
                        live ? "Loading …" : "",
                        scene.viewer().name(),
                        scene.isOperator() ? "and may act" : "who may look")
                .toString();
    }

    private static List<Markup> menu(String section, Scene scene) {
        List<Markup> menu = new ArrayList<>();
        MENU.forEach((path, name) -> menu.add(Markup.of(
                "<li><a href=\"{}\"{}>{}{}</a></li>",
                scene.link(path),
                path.equals(section) ? Markup.of(" aria-current=\"page\"") : Markup.NOTHING,
                name,
                path.equals("/parked") ? badge(scene) : Markup.NOTHING)));
        return menu;
    }

    private static Markup badge(Scene scene) {
        int parked = scene.now().parked();
        return Markup.of(
                "<span class=\"badge\" id=\"badge\"{}>{}</span>",
                parked == 0 ? Markup.of(" hidden") : Markup.NOTHING,
                Words.number(parked));
    }

    /** The number that the menu shows beside "Parked". */
    public static String badgeNumber(Scene scene) {
        int parked = scene.now().parked();
        return parked == 0 ? "" : Words.number(parked);
    }
}
