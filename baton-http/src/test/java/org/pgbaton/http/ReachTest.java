package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReachTest {
    @ParameterizedTest
    @CsvSource({
        "8.8.8.8, PUBLIC",
        "1.0.0.0, PUBLIC",
        "9.255.255.255, PUBLIC",
        "11.0.0.0, PUBLIC",
        "100.63.255.255, PUBLIC",
        "100.128.0.0, PUBLIC",
        "126.255.255.255, PUBLIC",
        "128.0.0.1, PUBLIC",
        "169.253.255.255, PUBLIC",
        "169.255.0.0, PUBLIC",
        "172.15.255.255, PUBLIC",
        "172.32.0.0, PUBLIC",
        "192.0.1.0, PUBLIC",
        "192.167.255.255, PUBLIC",
        "192.169.0.0, PUBLIC",
        "198.17.255.255, PUBLIC",
        "198.20.0.0, PUBLIC",
        "223.255.255.255, PUBLIC",
        "2606:4700::1111, PUBLIC",
        "2a00:1450:4001::1, PUBLIC",
        "64:ff9b::8.8.8.8, PUBLIC",
        "::ffff:8.8.8.8, PUBLIC",
        "2002:808:808::1, PUBLIC",
        "10.0.0.0, PRIVATE",
        "10.255.255.255, PRIVATE",
        "100.64.0.0, PRIVATE",
        "100.127.255.255, PRIVATE",
        "127.0.0.1, PRIVATE",
        "127.255.255.254, PRIVATE",
        "172.16.0.0, PRIVATE",
        "172.31.255.255, PRIVATE",
        "192.168.0.0, PRIVATE",
        "192.168.255.255, PRIVATE",
        "::1, PRIVATE",
        "fc00::1, PRIVATE",
        "fdff:ffff::1, PRIVATE",
        "fec0::1, PRIVATE",
        "::ffff:127.0.0.1, PRIVATE",
        "::ffff:10.1.2.3, PRIVATE",
        "64:ff9b::127.0.0.1, PRIVATE",
        "64:ff9b::a00:1, PRIVATE",
        "2002:7f00:1::, PRIVATE",
        "2002:c0a8:101::1, PRIVATE",
        "2001:0:808:808:0:0:f5ff:fffe, PRIVATE",
        "2001:0:a00:1:0:0:f7f7:f7f7, PRIVATE",
        "0.0.0.0, NEVER",
        "0.1.2.3, NEVER",
        "169.254.0.0, NEVER",
        "169.254.169.254, NEVER",
        "169.254.255.255, NEVER",
        "100.100.100.200, NEVER",
        "168.63.129.16, NEVER",
        "192.0.0.1, NEVER",
        "192.0.0.192, NEVER",
        "192.0.2.1, NEVER",
        "192.88.99.1, NEVER",
        "198.18.0.0, NEVER",
        "198.19.255.255, NEVER",
        "198.51.100.1, NEVER",
        "203.0.113.1, NEVER",
        "224.0.0.1, NEVER",
        "239.255.255.255, NEVER",
        "240.0.0.1, NEVER",
        "255.255.255.255, NEVER",
        "::, NEVER",
        "::127.0.0.1, NEVER",
        "::8.8.8.8, NEVER",
        "fe80::1, NEVER",
        "febf::1, NEVER",
        "ff02::1, NEVER",
        "fd00:ec2::254, NEVER",
        "fd20:ce::254, NEVER",
        "2001:db8::1, NEVER",
        "2001:2::1, NEVER",
        "3fff::1, NEVER",
        "100::1, NEVER",
        "4000::1, NEVER",
        "64:ff9b:1::1, NEVER",
        "::ffff:169.254.169.254, NEVER",
        "64:ff9b::a9fe:a9fe, NEVER",
        "2002:a9fe:a9fe::1, NEVER",
        "2001:0:808:808:0:0:5601:5601, NEVER",
    })
    void anAddressTellsFromWhereItCanBeReached(String address, Reach expected) throws Exception {
        assertThat(Reach.of(InetAddress.getByName(address))).isEqualTo(expected);
    }

    @Test
    void anAddressOfFourBytesInSixteenIsSeenThrough() throws Exception {
        byte[] bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 127, 0, 0, 1};
        InetAddress wrapped = Inet6Address.getByAddress("sneaky", bytes, 1);

        assertThat(wrapped).isInstanceOf(Inet6Address.class);
        assertThat(Reach.of(wrapped)).isEqualTo(Reach.PRIVATE);
    }
}
