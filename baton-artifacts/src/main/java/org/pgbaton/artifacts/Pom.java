package org.pgbaton.artifacts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** A POM as it was written, not as Maven would complete it; only the parent's version and group are its own if it has none. */
final class Pom {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]+)}");

    private final Path file;
    private final Element project;

    private Pom(Path file, Element project) {
        this.file = file;
        this.project = project;
    }

    static Pom read(Path file) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return new Pom(
                    file, factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement());
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + " is no XML: " + e.getMessage(), e);
        }
    }

    Path file() {
        return file;
    }

    String artifactId() {
        return text("artifactId").orElse("");
    }

    String groupId() {
        return text("groupId").or(() -> text("parent/groupId")).orElse("");
    }

    String version() {
        return text("version").or(() -> text("parent/version")).orElse("");
    }

    String packaging() {
        return text("packaging").orElse("jar");
    }

    /** The artifact of the parent, if it has one. */
    Optional<String> parent() {
        return text("parent/artifactId");
    }

    /** The text at a path such as {@code scm/url}, or empty if there is none. */
    Optional<String> text(String path) {
        return elements(path).stream().findFirst().flatMap(Pom::trimmed);
    }

    /** All elements at a path such as {@code dependencies/dependency}. */
    List<Element> elements(String path) {
        List<Element> found = List.of(project);
        for (String name : path.split("/")) {
            found = found.stream()
                    .flatMap(each -> children(each, name).stream())
                    .toList();
        }
        return found;
    }

    /** All elements of that name, however deep. */
    List<Element> anywhere(String name) {
        List<Element> found = new ArrayList<>();
        var nodes = project.getElementsByTagName(name);
        for (int i = 0; i < nodes.getLength(); i++) {
            found.add((Element) nodes.item(i));
        }
        return found;
    }

    /** The text of a child. */
    static Optional<String> child(Element element, String name) {
        return children(element, name).stream().findFirst().flatMap(Pom::trimmed);
    }

    /** A text with its placeholders replaced; a placeholder that nobody knows stays. */
    String resolved(String text, Function<String, Optional<String>> inherited) {
        Matcher matcher = PLACEHOLDER.matcher(text);
        return matcher.replaceAll(found -> Matcher.quoteReplacement(property(found.group(1))
                .or(() -> inherited.apply(found.group(1)))
                .orElse(found.group())));
    }

    /** A property of this POM alone. */
    Optional<String> property(String name) {
        return switch (name) {
            case "project.version" -> Optional.of(version());
            case "project.groupId" -> Optional.of(groupId());
            case "project.artifactId" -> Optional.of(artifactId());
            default -> text("properties/" + name);
        };
    }

    private static List<Element> children(Element element, String name) {
        List<Element> found = new ArrayList<>();
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child && child.getTagName().equals(name)) {
                found.add(child);
            }
        }
        return found;
    }

    private static Optional<String> trimmed(Element element) {
        return Optional.of(element.getTextContent().strip()).filter(text -> !text.isEmpty());
    }
}
