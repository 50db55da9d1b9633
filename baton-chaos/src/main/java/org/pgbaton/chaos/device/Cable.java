package org.pgbaton.chaos.device;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A network namespace for one process of Baton, with two cables to the rest of the machine. PostgreSQL is reached over the first, which can be cut and made
 * bad; everything else over the second, which is always whole. So a process that has lost PostgreSQL can still send to its targets.
 *
 * <p>No proxy can do that, since its own kernel would answer. Needs root and iproute2. Not thread-safe.
 */
public final class Cable implements AutoCloseable {
    /** Everything keeps its address 127.0.0.1: the namespace has no loopback of its own, and packets for that address leave by a cable. */
    private static final String LAY = """
            ip netns add $space
            ip link add ${device}a type veth peer name ${device}b netns $space
            ip link add ${device}c type veth peer name ${device}d netns $space
            ip address add $network.$((first + 1))/30 dev ${device}a
            ip address add $network.$((first + 5))/30 dev ${device}c
            ip -n $space address add $network.$((first + 2))/30 dev ${device}b
            ip -n $space address add $network.$((first + 6))/30 dev ${device}d
            for end in a c; do
              echo 1 > /proc/sys/net/ipv4/conf/$device$end/route_localnet
              ip link set $device$end up
            done
            for end in b d; do
              ip netns exec $space sh -c "echo 1 > /proc/sys/net/ipv4/conf/$device$end/route_localnet"
              ip -n $space link set $device$end up
            done
            ip -n $space route add 127.0.0.1/32 via $network.$((first + 5)) dev ${device}d
            ip -n $space route add 127.0.0.1/32 via $network.$((first + 1)) dev ${device}b table 77
            ip -n $space rule add ipproto tcp dport $port lookup 77""";

    private static final String REMOVE = """
            ip link delete ${device}a || true
            ip link delete ${device}c || true
            ip link delete ${device}e || true
            ip netns delete $space || true""";

    /**
     * The line gets narrow in both directions, so that packets wait in a queue. A random number is drawn for each packet; if it is large, the packet goes to a
     * device that is down. Not every kernel has netem.
     */
    private static final String WORSEN = """
            ip link add ${device}e type veth peer name ${device}f
            tc qdisc add dev ${device}a root tbf rate ${rate}kbit burst 4kb latency 100ms
            tc -n $space qdisc add dev ${device}b root tbf rate ${rate}kbit burst 4kb latency 100ms
            tc qdisc add dev ${device}a clsact
            for way in egress ingress; do
              tc filter add dev ${device}a $way bpf bytecode "4,32 0 0 4294963256,53 0 1 $large,6 0 0 4294967295,6 0 0 0" \\
                action mirred egress redirect dev ${device}e
            done""";

    private static final String IMPROVE = """
            for way in egress ingress; do tc -s filter show dev ${device}a $way; done
            tc qdisc delete dev ${device}a clsact
            tc qdisc delete dev ${device}a root
            tc -n $space qdisc delete dev ${device}b root
            ip link delete ${device}e""";

    /** How many packets the device refused. */
    private static final Pattern LOST = Pattern.compile("overlimits (\\d+)");

    private final Map<String, String> variables;
    private final String farAddress;
    private final Thread removal = new Thread(this::remove, "chaos-cable");

    private Cable(int number, int port) {
        long pid = ProcessHandle.current().pid();
        // Campaigns beside each other share neither names nor addresses.
        String network = "10.232." + pid % 250;
        int first = 8 * number;
        this.farAddress = network + "." + (first + 2);
        this.variables = Map.of(
                "space",
                "baton-chaos-" + pid + "-" + number,
                "device",
                "bc" + pid % 100_000 + "n" + number,
                "network",
                network,
                "first",
                Integer.toString(first),
                "port",
                Integer.toString(port));
    }

    /**
     * @param number unlike that of any other cable that is there
     * @param port of PostgreSQL
     */
    public static Cable lay(int number, int port) throws IOException, InterruptedException {
        Cable cable = new Cable(number, port);
        Runtime.getRuntime().addShutdownHook(cable.removal);
        try {
            Command.run(cable.variables, LAY);
            return cable;
        } catch (IOException refused) {
            cable.close();
            throw refused;
        }
    }

    /** Why there can be none on this machine; null if there can. */
    public static @Nullable String missing() throws InterruptedException {
        return missing(Cable::cut, "");
    }

    /** Why there can be no bad one on this machine; null if there can. */
    public static @Nullable String missingBad() throws InterruptedException {
        return missing(cable -> cable.worsen(1000, 10), ", sch_tbf, cls_bpf and act_mirred");
    }

    private interface Trial {
        void on(Cable cable) throws IOException, InterruptedException;
    }

    private static @Nullable String missing(Trial trial, String also) throws InterruptedException {
        try (Cable cable = lay(9, 1)) {
            trial.on(cable);
            return null;
        } catch (IOException refused) {
            return "it needs root, iproute2 and a kernel with network namespaces" + also + " (" + refused.getMessage()
                    + ")";
        }
    }

    /** The beginning of a command that runs at the far end. */
    public List<String> atTheFarEnd() {
        return List.of("ip", "netns", "exec", String.valueOf(variables.get("space")));
    }

    /** The address from which a process at the far end reaches PostgreSQL. */
    public String farAddress() {
        return farAddress;
    }

    /** Drops everything in both directions, without telling either end. */
    public void cut() throws IOException, InterruptedException {
        Command.run(variables, "ip link set ${device}a down");
    }

    public void mend() throws IOException, InterruptedException {
        Command.run(variables, "ip link set ${device}a up");
    }

    /**
     * @param kilobits that come through each second
     * @param percent of all packets that are lost
     */
    public void worsen(int kilobits, int percent) throws IOException, InterruptedException {
        Map<String, String> all = new HashMap<>(variables);
        all.put("rate", Integer.toString(kilobits));
        all.put("large", Long.toString((1L << 32) * (100 - percent) / 100));
        Command.run(all, WORSEN);
    }

    /** @return how many packets were lost */
    public long improve() throws IOException, InterruptedException {
        long lost = 0;
        Matcher each = LOST.matcher(Command.run(variables, IMPROVE));
        while (each.find()) {
            lost += Long.parseLong(each.group(1));
        }
        return lost;
    }

    private void remove() {
        try {
            Command.run(variables, REMOVE);
        } catch (IOException notThere) {
            // That is what we wanted.
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(removal);
        remove();
    }
}
