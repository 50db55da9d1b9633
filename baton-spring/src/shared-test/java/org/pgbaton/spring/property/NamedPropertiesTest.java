package org.pgbaton.spring.property;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Things that properties describe by name keep their names, wherever their properties come from. */
class NamedPropertiesTest {
    record Thing(@DefaultValue("red") String colour, @DefaultValue("1") int itsSize) {}

    @Test
    void whatStandsBesideTheNamesIsNone() {
        assertThat(bind(Map.of(), "things.enabled", "false", "things.one.its-size", "2"))
                .containsExactly(Map.entry("one", new Thing("red", 2)));
    }

    @Test
    void aVariableOfTheProcessMeansTheNameWithHyphens() {
        assertThat(bind(Map.of("THINGS_TOKAFKA_COLOUR", "blue"), "things.to-kafka.its-size", "2"))
                .containsExactly(Map.entry("to-kafka", new Thing("blue", 2)));
    }

    @Test
    void variablesAloneAreEnough() {
        assertThat(bind(Map.of("THINGS_ONE_ITSSIZE", "7", "THINGS_ENABLED", "true", "THINGS_ONE_UNKNOWN", "x")))
                .containsExactly(Map.entry("one", new Thing("red", 7)));
    }

    @Test
    void namesMayHaveCapitalsAndUnderscores() {
        for (String name : List.of("orderEvents", "order_events", "Order-Events", "ORDERS")) {
            assertThat(bind(Map.of(), "things." + name + ".colour", "green", "things." + name + ".itsSize", "3"))
                    .as(name)
                    .containsExactly(Map.entry(name, new Thing("green", 3)));
            assertThat(bind(Map.of(), "things[" + name + "].colour", "green"))
                    .as("[" + name + "]")
                    .containsExactly(Map.entry(name, new Thing("green", 1)));
            assertThatThrownBy(() -> bind(Map.of(), "things." + name + ".color", "green"))
                    .as(name)
                    .isInstanceOf(PropertyException.class);
        }
    }

    @Test
    void aVariableOfTheProcessMeansTheNameWithCapitalsOrUnderscores() {
        for (String name : List.of("orderEvents", "order_events")) {
            assertThat(bind(Map.of("THINGS_ORDEREVENTS_COLOUR", "blue"), "things." + name + ".its-size", "2"))
                    .containsExactly(Map.entry(name, new Thing("blue", 2)));
        }
    }

    @Test
    void bracketsKeepEveryCharacter() {
        assertThat(bind(Map.of(), "things[Odd_one.v2].colour", "green"))
                .containsExactly(Map.entry("Odd_one.v2", new Thing("green", 1)));
    }

    @Test
    void aPropertyThatNobodyKnowsIsRefused() {
        assertThatThrownBy(() -> bind(Map.of(), "things.one.color", "green"))
                .isInstanceOf(PropertyException.class)
                .hasNoCause()
                .hasMessageStartingWith("There is no such property: things.one.color (")
                .hasMessageNotContaining("green");
    }

    private static Map<String, Thing> bind(Map<String, Object> variables, String... properties) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = 0; i < properties.length; i += 2) {
            all.put(properties[i], properties[i + 1]);
        }
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        environment.getPropertySources().addLast(new MapPropertySource("file", all));
        ConfigurationPropertySources.attach(environment);
        return NamedProperties.bind(environment, "things", Thing.class);
    }
}
