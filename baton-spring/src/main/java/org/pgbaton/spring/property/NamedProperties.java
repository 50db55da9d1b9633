package org.pgbaton.spring.property;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Reads {@code PREFIX.NAME.…} for all names. What stands directly under the prefix, such as {@code PREFIX.enabled}, is not a name. A property
 * that the type does not have is refused: a mistyped one would otherwise be ignored.
 */
public final class NamedProperties {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-]+");

    private NamedProperties() {}

    /**
     * By name.
     *
     * @throws PropertyException names properties that the type does not have
     */
    public static <T> Map<String, T> bind(Environment environment, String prefix, Class<T> type) {
        Binder binder = Binder.get(environment);
        Map<String, T> found = new LinkedHashMap<>();
        for (String name : names(binder, prefix)) {
            found.put(name, bind(binder, named(environment, prefix, name), type));
        }
        return found;
    }

    private static <T> T bind(Binder binder, ConfigurationPropertyName name, Class<T> type) {
        BindHandler strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT, NamedProperties::knowsWhatIsOurs);
        try {
            return binder.bindOrCreate(name, Bindable.of(type), strict);
        } catch (BindException refused) {
            if (refused.getCause() instanceof UnboundConfigurationPropertiesException unknown) {
                throw unknown(unknown.getUnboundProperties());
            }
            throw refused;
        }
    }

    /** Without values, and without Boot's exception, which has them: one of them may be a password in the wrong place. */
    private static PropertyException unknown(Collection<ConfigurationProperty> properties) {
        String named = properties.stream()
                .map(each -> each.getName() + (each.getOrigin() == null ? "" : " (" + each.getOrigin() + ")"))
                .sorted()
                .collect(Collectors.joining(", "));
        return new PropertyException(
                "There is no such property: " + named + ".",
                "Correct the name, or leave it out; docs/spring.md has the properties.");
    }

    /** A variable of the process, which has no hyphens and no case, means the same name as a property with them; that one is the name then. */
    private static Collection<String> names(Binder binder, String prefix) {
        Map<String, Object> all =
                binder.bind(prefix, Bindable.mapOf(String.class, Object.class)).orElse(Map.of());
        Map<String, String> names = new LinkedHashMap<>();
        all.forEach((name, value) -> {
            if (value instanceof Map) {
                String alike = name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
                names.merge(alike, name, (one, other) -> one.equals(alike) ? other : one);
            }
        });
        return names.values();
    }

    /** How to write the property of this name. */
    public static String path(String prefix, String name) {
        return PLAIN.matcher(name).matches() ? prefix + "." + name : prefix + "[" + name + "]";
    }

    /** Boot reads orderEvents and order_events as it reads order-events; only what stands in brackets is taken as it is. */
    private static ConfigurationPropertyName named(Environment environment, String prefix, String name) {
        if (PLAIN.matcher(name).matches()) {
            ConfigurationPropertyName plain = ConfigurationPropertyName.adapt(prefix + "." + name, '.');
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                if (source.containsDescendantOf(plain) == ConfigurationPropertyState.PRESENT) {
                    return plain;
                }
            }
        }
        return ConfigurationPropertyName.of(prefix).append("[" + name + "]");
    }

    /** Variables of the process cannot be told apart so strictly: as Boot does for its own properties. */
    private static boolean knowsWhatIsOurs(ConfigurationPropertySource source) {
        return !(source.getUnderlyingSource() instanceof PropertySource<?> theirs
                && (theirs.getName().endsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                        || theirs.getName().endsWith(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)));
    }
}
