package org.pgbaton.proofs.outbox;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.nats.NatsServer;

/** A target with one stream, which keeps the subjects that the target takes. */
final class NatsTarget implements TradeTarget {
    private static final String NAME = "trading";

    private final NatsServer server = NatsServer.start();
    private final List<String> subjects = new ArrayList<>(List.of("trades"));
    private Connection connection;

    NatsTarget() throws Exception {
        connect();
        connection.jetStreamManagement().addStream(settings());
    }

    private void connect() throws Exception {
        connection = Nats.connect(Options.builder()
                .server(server.url())
                .noReconnect()
                .errorListener(new ErrorListener() {})
                .build());
    }

    private StreamConfiguration settings() {
        return StreamConfiguration.builder().name(NAME).subjects(subjects).build();
    }

    @Override
    public TradeRelayProgram.To kind() {
        return TradeRelayProgram.To.NATS;
    }

    @Override
    public String address() {
        return server.url();
    }

    @Override
    public void alsoTake(String topic) throws Exception {
        subjects.add(topic);
        connection.jetStreamManagement().updateStream(settings());
    }

    @Override
    public void fallSilent() throws Exception {
        server.freeze();
    }

    @Override
    public long unanswered() throws IOException {
        return UnreadBytes.at(server.port());
    }

    @Override
    public void answerAgain() {
        server.thaw();
    }

    @Override
    public void goAway() throws Exception {
        server.kill();
        connection.close();
    }

    @Override
    public void comeBack() throws Exception {
        server.restart();
        connect();
    }

    @Override
    public int count() throws Exception {
        return (int) connection
                .jetStreamManagement()
                .getStreamInfo(NAME)
                .getStreamState()
                .getMsgCount();
    }

    @Override
    public List<Receipt> receipts() throws Exception {
        int count = count();
        List<Receipt> receipts = new ArrayList<>();
        JetStreamSubscription reading = connection
                .jetStream()
                .subscribe(">", PullSubscribeOptions.builder().stream(NAME).build());
        while (receipts.size() < count) {
            for (Message each : reading.fetch(Math.min(500, count - receipts.size()), Duration.ofSeconds(5))) {
                each.ack();
                receipts.add(new Receipt(
                        header(each, "baton-key"),
                        header(each, "Nats-Msg-Id"),
                        Long.parseLong(header(each, "baton-epoch"))));
            }
        }
        reading.unsubscribe();
        return receipts;
    }

    private static String header(Message message, String name) {
        return String.valueOf(message.getHeaders().getFirst(name));
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
        server.close();
    }
}
