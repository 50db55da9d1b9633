package org.pgbaton.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.marcnuri.helm.LintResult;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The chart and the plain manifests: Helm renders them, Kubernetes' schemas accept them, and they keep what they promise. */
class ChartTest {
    private static final Path MANIFEST = Path.of("../deploy/kubernetes/baton.yaml");
    private static final Set<String> OF_THE_PROMETHEUS_OPERATOR = Set.of("ServiceMonitor", "PrometheusRule");

    /** Throws if a field is unknown or missing. */
    @FunctionalInterface
    private interface Schema {
        void validate(JsonElement object) throws IOException;
    }

    private static final Map<String, Schema> SCHEMAS = Map.of(
            "Deployment", V1Deployment::validateJsonElement,
            "ConfigMap", V1ConfigMap::validateJsonElement,
            "Service", V1Service::validateJsonElement,
            "ServiceAccount", V1ServiceAccount::validateJsonElement,
            "PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement);

    @Test
    void helmsLintFindsNothing() {
        LintResult result = Chart.helm().lint().strict().call();

        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    }

    @Test
    void everyObjectFitsTheSchemasOfKubernetes() throws IOException {
        for (Map<String, Object> values : List.of(Map.<String, Object>of(), Chart.EVERYTHING)) {
            List<Map<?, ?>> objects = Chart.objects(Chart.text(values));
            assertThat(objects).hasSizeGreaterThanOrEqualTo(5);
            for (Map<?, ?> object : objects) {
                validate(object);
            }
        }
    }

    @Test
    void aFieldThatThereIsNotWouldBeFound() {
        String wrong = Chart.text(Map.of()).replace("readOnlyRootFilesystem:", "readOnlyRoot:");

        assertThatThrownBy(() -> validate(Chart.object(Chart.objects(wrong), "Deployment")))
                .hasMessageContaining("readOnlyRoot");
    }

    private static void validate(Map<?, ?> object) throws IOException {
        String kind = (String) object.get("kind");
        if (!OF_THE_PROMETHEUS_OPERATOR.contains(kind)) {
            assertThat(SCHEMAS).containsKey(kind);
            SCHEMAS.get(kind).validate(new Gson().toJsonTree(object));
        }
    }

    @Test
    void twoProcessesOnDifferentMachinesOfWhichOneMayGo() {
        List<Map<?, ?>> objects = Chart.objects(Chart.text(Map.of()));
        Map<?, ?> deployment = Chart.object(objects, "Deployment");

        assertThat(Chart.at(deployment, "spec", "replicas")).isEqualTo(2);
        assertThat(Chart.at(Chart.object(objects, "PodDisruptionBudget"), "spec", "maxUnavailable"))
                .isEqualTo(1);
        assertThat(Chart.at(deployment, "spec", "template", "spec", "topologySpreadConstraints", 0, "topologyKey"))
                .isEqualTo("kubernetes.io/hostname");
    }

    @Test
    void theProcessMayDoNothingButItsWork() {
        Map<?, ?> deployment = Chart.object(Chart.objects(Chart.text(Map.of())), "Deployment");
        Object pod = Chart.at(deployment, "spec", "template", "spec");
        Object container = Chart.at(pod, "containers", 0);

        assertThat(Chart.at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
        assertThat(Chart.at(pod, "automountServiceAccountToken")).isEqualTo(false);
        assertThat(Chart.at(container, "securityContext", "readOnlyRootFilesystem"))
                .isEqualTo(true);
        assertThat(Chart.at(container, "securityContext", "allowPrivilegeEscalation"))
                .isEqualTo(false);
        assertThat(Chart.at(container, "securityContext", "capabilities", "drop"))
                .isEqualTo(List.of("ALL"));
    }

    @Test
    void probesAskForTheProcessAndNeverForLeadership() {
        Map<?, ?> deployment = Chart.object(Chart.objects(Chart.text(Map.of())), "Deployment");
        Object container = Chart.at(deployment, "spec", "template", "spec", "containers", 0);

        assertThat(Chart.at(container, "readinessProbe", "httpGet", "path")).isEqualTo("/readyz");
        assertThat(Chart.at(container, "livenessProbe", "httpGet", "path")).isEqualTo("/livez");
        assertThat(Chart.at(container, "startupProbe", "httpGet", "path")).isEqualTo("/livez");
    }

    @Test
    void theDatabaseIsNamedByASecretThatIsThereAlready() {
        List<Map<?, ?>> objects = Chart.objects(Chart.text(Map.of("database.existingSecret", "shop-db")));

        assertThat(objects).extracting(each -> (Object) each.get("kind")).doesNotContain("Secret");
        assertThat(Chart.at(
                        Chart.object(objects, "Deployment"),
                        "spec",
                        "template",
                        "spec",
                        "containers",
                        0,
                        "env",
                        0,
                        "valueFrom",
                        "secretKeyRef",
                        "name"))
                .isEqualTo("shop-db");
    }

    @Test
    void anotherConfigurationMakesOtherProcesses() {
        assertThat(checksum(Map.of())).isEqualTo(checksum(Map.of("replicas", 3)));
        assertThat(checksum(Map.of())).isNotEqualTo(checksum(Map.of("http.port", 9090)));
    }

    private static Object checksum(Map<String, Object> values) {
        return Chart.at(
                Chart.object(Chart.objects(Chart.text(values)), "Deployment"),
                "spec",
                "template",
                "metadata",
                "annotations",
                "checksum/config");
    }

    @Test
    void valuesThatMakeNoSenseAreRefused() {
        for (Map<String, Object> wrong : List.of(
                Map.<String, Object>of("replicas", 0),
                Map.<String, Object>of("replica", 2),
                Map.<String, Object>of("database.existingSecret", ""),
                Map.<String, Object>of("config.http.port", 1))) {
            assertThatThrownBy(() -> Chart.text(wrong)).as("%s", wrong).hasMessageContaining("schema");
        }
    }

    @Test
    void rulesAndDashboardOfTheChartAreThoseOfDeploy() throws IOException {
        assertThat(Chart.FOLDER.resolve("files/alerts.yaml"))
                .hasSameTextualContentAs(Path.of("../deploy/prometheus/alerts.yaml"));
        assertThat(Chart.FOLDER.resolve("files/baton.json"))
                .hasSameTextualContentAs(Path.of("../deploy/grafana/baton.json"));
        List<Map<?, ?>> objects = Chart.objects(Chart.text(Chart.EVERYTHING));
        assertThat((List<?>) Chart.at(Chart.object(objects, "PrometheusRule"), "spec", "groups", 0, "rules"))
                .hasSizeGreaterThan(10);
        assertThat(Chart.at(Chart.object(objects, "ServiceMonitor"), "spec", "endpoints", 0, "path"))
                .isEqualTo("/metrics");
    }

    /** {@code -Dbaton.write=true} writes them anew. */
    @Test
    void thePlainManifestsAreWhatTheChartMakes() throws IOException {
        String made =
                "# Made from deploy/helm/baton with its default values; a test compares them. The secret 'baton-database' must be there.\n"
                        + Chart.text(Map.of())
                                .replace("managed-by: Helm", "managed-by: kubectl")
                                .replace("  namespace: default\n", "");
        if (Boolean.getBoolean("baton.write")) {
            Files.writeString(MANIFEST, made);
        }

        assertThat(MANIFEST).hasContent(made);
    }
}
