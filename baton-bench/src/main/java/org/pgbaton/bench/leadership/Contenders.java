package org.pgbaton.bench.leadership;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.pgbaton.bench.arena.Peers;

/** Baton, and the peers from {@code baton-bench/peers}, which are built when they are first needed. */
final class Contenders {
    private final Peers peers;

    /** @param home the checkout */
    Contenders(Path home) {
        this.peers = new Peers(home);
    }

    static Contender baton() {
        return new Contender(
                "Baton", "lease 10 s", System.getProperty("java.class.path"), BatonContender.class.getName(), true);
    }

    List<Contender> peers() throws IOException, InterruptedException {
        peers.build(List.of("essentials", "spring-integration", "shedlock"));
        return List.of(
                peer(
                        "essentials",
                        "Essentials",
                        "EssentialsPeer",
                        "postgresql-distributed-fenced-lock",
                        "time-out 15 s, confirmed every 4 s (its starter's defaults)"),
                peer(
                        "spring-integration",
                        "Spring Integration",
                        "SpringIntegrationPeer",
                        "spring-integration-jdbc",
                        "LockRegistryLeaderInitiator, time-to-live 10 s, heartbeat 0.5 s"),
                peer(
                        "shedlock",
                        "ShedLock",
                        "ShedLockPeer",
                        "shedlock-provider-jdbc-template",
                        "keep-alive, lockAtMostFor 30 s, tried every second"));
    }

    private Contender peer(String module, String name, String mainClass, String artifact, String settings) {
        return new Contender(
                name + " " + peers.versionOf(module, artifact),
                settings,
                peers.classPath(module),
                "org.pgbaton.bench.peers." + mainClass,
                false);
    }
}
