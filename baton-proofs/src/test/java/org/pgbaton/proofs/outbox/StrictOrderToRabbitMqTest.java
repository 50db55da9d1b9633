package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.rabbitmq.RabbitServer;

/** Promise 5, to RabbitMQ: at least once, in order per key. */
class StrictOrderToRabbitMqTest {
    @Test
    void nothingIsLostAndTheFirstTimeEverythingIsInOrder() throws Exception {
        assumeTrue(RabbitServer.isInstalled(), RabbitServer.MISSING);
        try (Queue queue = new Queue();
                StrictOrder trading = new StrictOrder(queue)) {
            trading.run();
            assertThat(trading.verdict()).matches(Published::isInOrder);
            assertThat(trading.verdictOnAReceiver()).matches(Published::isExactlyOnceInOrder);
        }
    }

    /** One queue, bound to the topics it takes. */
    private static final class Queue implements TradeTarget {
        private static final String NAME = "trades";

        private final RabbitServer server = RabbitServer.start();
        private final List<Receipt> receipts = new ArrayList<>();
        private Connection connection;
        private Channel channel;

        Queue() throws Exception {
            connect();
            channel.exchangeDeclare(TradeRelayProgram.EXCHANGE, BuiltinExchangeType.DIRECT, true);
            channel.queueDeclare(NAME, true, false, false, Map.of());
            alsoTake("trades");
            server.writeDown();
        }

        private void connect() throws Exception {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(server.uri());
            factory.setAutomaticRecoveryEnabled(false);
            connection = factory.newConnection();
            channel = connection.createChannel();
        }

        @Override
        public TradeRelayProgram.To kind() {
            return TradeRelayProgram.To.RABBITMQ;
        }

        @Override
        public String address() {
            return server.uri();
        }

        @Override
        public void alsoTake(String topic) throws Exception {
            channel.queueBind(NAME, TradeRelayProgram.EXCHANGE, topic);
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
            connection.abort(1000);
        }

        @Override
        public void comeBack() throws Exception {
            server.restart();
            connect();
        }

        @Override
        public int count() throws Exception {
            return receipts.size() + (int) channel.messageCount(NAME);
        }

        @Override
        public List<Receipt> receipts() throws Exception {
            for (GetResponse next = channel.basicGet(NAME, true); next != null; next = channel.basicGet(NAME, true)) {
                Map<String, Object> headers = next.getProps().getHeaders();
                receipts.add(new Receipt(
                        String.valueOf(headers.get("baton-key")),
                        next.getProps().getMessageId(),
                        Long.parseLong(String.valueOf(headers.get("baton-epoch")))));
            }
            return List.copyOf(receipts);
        }

        @Override
        public void close() {
            connection.abort(1000);
            server.close();
        }
    }
}
