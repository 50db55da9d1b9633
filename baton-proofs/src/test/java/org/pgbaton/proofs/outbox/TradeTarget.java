package org.pgbaton.proofs.outbox;

import java.util.List;

/** A real target of the trades, to be disturbed. It takes the topic {@code trades} from the start. */
interface TradeTarget extends AutoCloseable {
    /** @param epoch under which it was sent */
    record Receipt(String key, String id, long epoch) {
        Published.Arrival arrival() {
            return new Published.Arrival(key, id);
        }
    }

    TradeRelayProgram.To kind();

    String address();

    /** Takes this topic too, from now on. Until then it refuses its messages, and no others. */
    void alsoTake(String topic) throws Exception;

    /** What is sent from now on arrives, and is not confirmed. */
    void fallSilent() throws Exception;

    /** How much has arrived that is not confirmed, because it fell silent; in whatever it counts. */
    long unanswered() throws Exception;

    void answerAgain();

    /** Takes nothing. */
    void goAway() throws Exception;

    void comeBack() throws Exception;

    /** How many have arrived; while it is there. */
    int count() throws Exception;

    /** Everything that has arrived so far, in that order; while it is there. */
    List<Receipt> receipts() throws Exception;

    @Override
    void close();
}
