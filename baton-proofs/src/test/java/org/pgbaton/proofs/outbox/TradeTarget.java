package org.pgbaton.proofs.outbox;

import java.util.List;

/** A real target of the trades that tests can disturb. It takes the topic {@code trades} from the start. */
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

    /** From now on messages arrive, but are not confirmed. */
    void fallSilent() throws Exception;

    /** How much has arrived unconfirmed since it fell silent, in a unit of the target's own. */
    long unanswered() throws Exception;

    void answerAgain();

    /** Takes nothing. */
    void goAway() throws Exception;

    void comeBack() throws Exception;

    /** The number of messages that have arrived. Only while the target is up. */
    int count() throws Exception;

    /** Everything that has arrived so far, in that order. Only while the target is up. */
    List<Receipt> receipts() throws Exception;

    @Override
    void close();
}
