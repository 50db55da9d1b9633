package org.pgbaton.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.server.notice.Channel;
import org.pgbaton.server.serve.BatonYaml;
import org.pgbaton.server.serve.ChannelSubscription;
import org.pgbaton.subscription.Subscription;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A log of row changes, and the channels of a file that read it, in this JVM. */
final class Alerts implements AutoCloseable {
    private final Baton baton;
    private final List<Runnable> running = new ArrayList<>();

    private Alerts(Baton baton) {
        this.baton = baton;
    }

    static Alerts on(Baton baton) {
        if (!baton.logs().names().contains("alerts")) {
            baton.logs().create("alerts");
        }
        return new Alerts(baton);
    }

    /** @return the subscription of the last one */
    Subscription start(Path folder, String channels) throws IOException {
        Path file = Files.writeString(folder.resolve("baton.yaml"), "channels:\n" + channels.indent(2));
        Subscription last = null;
        for (ChannelSubscription each : BatonYaml.read(file, Map.of()).channelSubscriptions()) {
            Channel channel = each.channel().open();
            last = each.channel().start(baton, each.log(), each.subscription(), channel);
            running.add(last::close);
            running.add(channel::close);
        }
        if (last == null) {
            throw new AssertionError("no channel reads a log");
        }
        return last;
    }

    Appended insert(String key, String after) {
        return change(key, "insert", "null", after);
    }

    Appended change(String key, String operation, String before, String after) {
        String json = "{\"table\":\"public.alert\",\"operation\":\"" + operation + "\",\"before\":" + before
                + ",\"after\":" + after + ",\"lsn\":\"0/16B3748\",\"committedAt\":\"2026-01-01T12:00:00.123456Z\"}";
        return baton.log("alerts")
                .append(List.of(Draft.json(json).key(key).type("public.alert." + operation)))
                .get(0);
    }

    /** The values of this column, of one change or of a digest. */
    static List<Integer> numbers(Receiver.Received received, String column) {
        JsonNode json = JsonMapper.shared().readTree(received.body());
        List<Integer> numbers = new ArrayList<>();
        if (json.has("changes")) {
            json.get("changes")
                    .forEach(each -> numbers.add(each.at("/after/" + column).asInt()));
        } else {
            numbers.add(json.at("/after/" + column).asInt());
        }
        return numbers;
    }

    @Override
    public void close() {
        running.forEach(Runnable::run);
    }
}
