package org.pgbaton.dashboard.page;

import java.util.List;
import org.pgbaton.dashboard.page.Page.Region;
import org.pgbaton.subscription.OperatorAction;

/** Who did what, when and why. */
final class ActionsPage {
    private static final int MOST = 200;

    private ActionsPage() {}

    static Page render(Scene scene) {
        List<OperatorAction> actions = scene.details().actions(MOST);
        Markup body;
        if (actions.isEmpty()) {
            body = Parts.empty(
                    "Nobody has done anything by hand here yet.", "Everything that operators do is recorded.");
        } else {
            List<List<Markup>> rows = actions.stream()
                    .map(each -> List.of(
                            Words.ago(each.at()),
                            Parts.text(each.who()),
                            Parts.text(each.what()),
                            Parts.text(each.subject()),
                            Parts.text(each.detail()),
                            Parts.text(each.reason()),
                            Markup.of("<span class=\"aside\">{}</span>", each.byUser())))
                    .toList();
            body = Parts.table(
                    "Actions", List.of("When", "Who", "What", "Subject", "Detail", "Reason", "Database user"), rows);
        }
        return new Page("Actions", "/actions", List.of(new Region("actions", Parts.panel("Actions", body))));
    }
}
