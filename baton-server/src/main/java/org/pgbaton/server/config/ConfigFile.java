package org.pgbaton.server.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.pgbaton.server.command.UsageException;

/** Reads a configuration file by a table of keys. */
public final class ConfigFile {
    private static final long LARGEST = 1_000_000;

    private ConfigFile() {}

    /**
     * @param environment what {@code ${NAME}} refers to
     * @throws ConfigurationException with every problem the file has
     * @throws UsageException if there is no such file
     */
    public static Settings read(Path file, Section section, Map<String, String> environment) {
        return parse(text(file), file, section, environment);
    }

    /**
     * Reads a text that was taken from a file before.
     *
     * @param file its name for sentences; relative paths start in its folder
     */
    public static Settings parse(String text, Path file, Section section, Map<String, String> environment) {
        Path folder = file.toAbsolutePath().getParent();
        Reading reading = new Reading(environment, folder == null ? Path.of("") : folder);
        Value value = Yaml.read(text, reading.problems());
        Settings settings = section.read(value, new Place(reading, "", "", 1, false));
        if (!reading.problems().isEmpty()) {
            throw new ConfigurationException(file.toString(), reading.problems());
        }
        return settings;
    }

    private static String text(Path file) {
        try {
            if (Files.isDirectory(file)) {
                throw new UsageException("The configuration " + file + " is a folder: name a file.");
            }
            if (Files.size(file) > LARGEST) {
                throw problem(
                        file, "the file is larger than " + LARGEST / 1_000_000 + " MB, which no configuration is");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException wrong) {
            throw problem(file, "the file is not in UTF-8");
        } catch (IOException unreadable) {
            throw new UsageException("The configuration " + file + " cannot be read"
                    + (Files.exists(file) ? "." : ": there is no such file."));
        }
    }

    private static ConfigurationException problem(Path file, String sentence) {
        return new ConfigurationException(file.toString(), List.of(new Problem(1, sentence)));
    }
}
