package org.pgbaton.dist;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The Helm chart, rendered by Helm itself. */
final class Chart {
    static final Path FOLDER = Path.of("../deploy/helm/baton").toAbsolutePath().normalize();
    static final Map<String, Object> EVERYTHING = Map.of(
            "serviceMonitor.enabled", true,
            "prometheusRule.enabled", true,
            "grafanaDashboard.enabled", true,
            "database.passwordKey", "password",
            "javaOptions", "-Xmx256m",
            "migrate", false);

    private Chart() {}

    static Helm helm() {
        return new Helm(FOLDER);
    }

    static String text(Map<String, Object> values) {
        TemplateCommand template =
                helm().template().withName("baton").withNamespace("default").withKubeVersion("1.31.0");
        values.forEach(template::set);
        return template.call();
    }

    static List<Map<?, ?>> objects(String yaml) {
        List<Map<?, ?>> objects = new ArrayList<>();
        for (Object document :
                new Load(LoadSettings.builder().setCodePointLimit(10_000_000).build()).loadAllFromString(yaml)) {
            if (document instanceof Map<?, ?> object) {
                objects.add(object);
            }
        }
        return objects;
    }

    /** The value at the end of these keys; a number is an index. */
    static Object at(Object from, Object... path) {
        Object here = from;
        for (Object step : path) {
            here = here instanceof List<?> list ? list.get((Integer) step) : ((Map<?, ?>) here).get(step);
        }
        return here;
    }

    static Map<?, ?> object(List<Map<?, ?>> objects, String kind) {
        return objects.stream()
                .filter(each -> kind.equals(each.get("kind")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no " + kind));
    }
}
