package org.pgbaton.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * From where an address can be reached, as far as can be told from the address. An address that carries another one
 * counts as that one.
 */
enum Reach {
    /** From anywhere. */
    PUBLIC,
    /**
     * This machine, or a private network: a webhook to such an address can reach services that are not meant for the
     * public.
     */
    PRIVATE,
    /** Never a target of webhooks: link-local (the clouds' metadata services), multicast, reserved, undefined. */
    NEVER;

    /** The first that fits counts. */
    private static final List<Range> RANGES = List.of(
            // Metadata services that are not link-local.
            new Range("100.100.100.200/32", NEVER),
            new Range("168.63.129.16/32", NEVER),
            new Range("fd00:ec2::254/128", NEVER),
            new Range("fd20:ce::254/128", NEVER),
            new Range("0.0.0.0/8", NEVER),
            new Range("10.0.0.0/8", PRIVATE),
            new Range("100.64.0.0/10", PRIVATE),
            new Range("127.0.0.0/8", PRIVATE),
            new Range("169.254.0.0/16", NEVER),
            new Range("172.16.0.0/12", PRIVATE),
            new Range("192.0.0.0/24", NEVER),
            new Range("192.0.2.0/24", NEVER),
            new Range("192.88.99.0/24", NEVER),
            new Range("192.168.0.0/16", PRIVATE),
            new Range("198.18.0.0/15", NEVER),
            new Range("198.51.100.0/24", NEVER),
            new Range("203.0.113.0/24", NEVER),
            new Range("224.0.0.0/3", NEVER),
            new Range("0.0.0.0/0", PUBLIC),
            new Range("::1/128", PRIVATE),
            new Range("fc00::/7", PRIVATE),
            new Range("fec0::/10", PRIVATE),
            new Range("2001::/23", NEVER),
            new Range("2001:db8::/32", NEVER),
            new Range("3fff::/20", NEVER),
            new Range("2000::/3", PUBLIC),
            new Range("::/0", NEVER));

    private static final Range NAT64 = new Range("64:ff9b::/96", NEVER);
    private static final Range SIX_TO_FOUR = new Range("2002::/16", NEVER);
    private static final Range TEREDO = new Range("2001::/32", NEVER);
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff};

    static Reach of(InetAddress address) {
        return of(address.getAddress());
    }

    private static Reach of(byte[] address) {
        if (address.length == 16) {
            if (NAT64.contains(address) || Arrays.equals(address, 0, 12, MAPPED, 0, 12)) {
                return of(Arrays.copyOfRange(address, 12, 16));
            }
            if (SIX_TO_FOUR.contains(address)) {
                return of(Arrays.copyOfRange(address, 2, 6));
            }
            if (TEREDO.contains(address)) {
                Reach server = of(Arrays.copyOfRange(address, 4, 8));
                Reach client = of(inverted(Arrays.copyOfRange(address, 12, 16)));
                return server.compareTo(client) > 0 ? server : client;
            }
        }
        for (Range range : RANGES) {
            if (range.contains(address)) {
                return range.reach;
            }
        }
        return NEVER;
    }

    private static byte[] inverted(byte[] address) {
        for (int i = 0; i < address.length; i++) {
            address[i] = (byte) ~address[i];
        }
        return address;
    }

    private static final class Range {
        private final byte[] prefix;
        private final int bits;
        private final Reach reach;

        Range(String range, Reach reach) {
            int slash = range.indexOf('/');
            this.prefix = literal(range.substring(0, slash)).getAddress();
            this.bits = Integer.parseInt(range.substring(slash + 1));
            this.reach = reach;
        }

        boolean contains(byte[] address) {
            if (address.length != prefix.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                if (((address[bit / 8] ^ prefix[bit / 8]) & (0x80 >> (bit % 8))) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** @param address a numeric address; no name is looked up */
    static InetAddress literal(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException impossible) {
            throw new IllegalArgumentException(address + " is no address.", impossible);
        }
    }
}
