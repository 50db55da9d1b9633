package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.Dns;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

class ForbiddenAddressesTest {
    private final AtomicInteger lookups = new AtomicInteger();
    private final Queue<String> connected = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://example.com/",
                "file:///etc/passwd",
                "mailto:a@example.com",
                "example.com/hook",
                "https:///hook",
                "https://user@example.com/",
                "https://user:word@example.com/",
                "https://@example.com/",
                "https://user@my_service/",
                "http://example.com/",
                "http://8.8.8.8/",
                "http://127.0.0.1/",
                "https://127.0.0.1/",
                "https://127.0.0.1./",
                "https://127.1/",
                "https://127.0.1/",
                "https://2130706433/",
                "https://017700000001/",
                "https://0177.0.0.1/",
                "https://08.8.8.8/",
                "https://0x7f000001/",
                "https://0x7f.0.0.1/",
                "https://0x7f.1/",
                "https://127.0.0.0x1/",
                "https://1.2.3.4.5/",
                "https://256.0.0.1/",
                "https://%31%32%37.0.0.1/",
                "https://10.0.0.1/",
                "https://172.16.0.1/",
                "https://192.168.1.1:8443/",
                "https://100.64.0.1/",
                "https://169.254.169.254/latest/meta-data/",
                "https://0.0.0.0/",
                "https://224.0.0.1/",
                "https://255.255.255.255/",
                "https://[::1]/",
                "https://[::]/",
                "https://[0:0:0:0:0:0:0:1]/",
                "https://[fe80::1]/",
                "https://[fd00::1]/",
                "https://[ff02::1]/",
                "https://[::ffff:127.0.0.1]/",
                "https://[::ffff:7f00:1]/",
                "https://[::127.0.0.1]/",
                "https://[64:ff9b::7f00:1]/",
                "https://[2002:7f00:1::]/",
                "https://[2001:0:808:808::f5ff:fffe]/",
            })
    void isRefusedBeforeAnythingIsSent(String url) {
        assertThatThrownBy(() -> WebhookPublisher.to(URI.create(url)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(" webhook ")
                .hasMessageMatching(".{20,200}");
    }

    @Test
    void fullWidthDigitsAreDigits() {
        // java.net.URI takes such hosts as they are; the client turns them into 127.0.0.1.
        assertThatThrownBy(() ->
                        WebhookPublisher.to(URI.create("https://１２７.0.0.1/")).build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://169.254.169.254/",
                "http://169.254.169.254/",
                "https://[fe80::1]/",
                "https://0.0.0.0/",
                "https://224.0.0.1/",
                "https://[fd00:ec2::254]/",
                "https://100.100.100.200/",
                "http://8.8.8.8/",
                "http://[2606:4700::1111]/",
                "http://2130706433/",
                "https://user@127.0.0.1/",
                "ftp://127.0.0.1/",
            })
    void isRefusedEvenIfPrivateAddressesAreAllowed(String url) {
        assertThatThrownBy(() ->
                        WebhookPublisher.to(URI.create(url)).allowPrivate(true).build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.com/hook, false",
        "https://EXAMPLE.com:8443/hook, false",
        "https://my_service/hook, false",
        "https://8.8.8.8/, false",
        "https://[2606:4700::1111]/, false",
        "https://xn--bcher-kva.example/, false",
        "https://127.0.0.1/, true",
        "http://127.0.0.1:8080/, true",
        "http://[::1]:8080/, true",
        "http://10.1.2.3/, true",
        "http://service.internal/hook, true",
        "https://example.com/, true",
    })
    void isAccepted(String url, boolean allowPrivate) {
        WebhookPublisher.to(URI.create(url)).allowPrivate(allowPrivate).build().close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "10.0.0.5", "169.254.169.254", "64:ff9b::7f00:1", "0.0.0.0"})
    void aNameThatLeadsToAForbiddenAddressStopsTheSubscription(String address) throws Exception {
        try (WebhookPublisher publisher = named(name -> addresses(address)).build()) {
            HandlerException failure = Sending.failureOf(publisher);

            assertThat(failure.verdict()).isEqualTo(Verdict.STOP);
            assertThat(failure)
                    .hasMessageContaining("hooks.example resolves to")
                    .hasMessageContaining("Nothing was sent");
            assertThat(connected).isEmpty();
        }
    }

    @Test
    void oneForbiddenAddressAmongOthersRefusesThemAll() throws Exception {
        try (WebhookPublisher publisher =
                named(name -> addresses("8.8.8.8", "8.8.4.4", "127.0.0.1")).build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.STOP);
            assertThat(connected).isEmpty();
        }
    }

    @Test
    void aNameThatChangesAfterItWasCheckedGainsNothing() throws Exception {
        Dns rebinding = name -> addresses(lookups.incrementAndGet() == 1 ? "8.8.8.8" : "127.0.0.1");
        try (WebhookPublisher publisher = named(rebinding).build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(lookups).hasValue(1);
            assertThat(connected).containsExactly("8.8.8.8");

            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.STOP);
            assertThat(lookups).hasValue(2);
            assertThat(connected).containsExactly("8.8.8.8");
        }
    }

    @Test
    void aNameInANetworkOfOnesOwnIsReachedIfThatIsAllowed() throws Exception {
        try (MockWebServer server = new MockWebServer()) {
            server.start(InetAddress.getLoopbackAddress(), 0);
            server.enqueue(new MockResponse.Builder().build());
            URI url = URI.create("http://hooks.example:" + server.getPort() + "/hook");
            try (WebhookPublisher publisher = WebhookPublisher.to(url)
                    .allowPrivate(true)
                    .resolver(name -> addresses("127.0.0.1"))
                    .build()) {
                Sending.published(Sending.publish(publisher, Sending.anyMessage()));
                assertThat(server.takeRequest().getHeaders().get("host"))
                        .isEqualTo("hooks.example:" + server.getPort());
            }
        }
    }

    @Test
    void plainHttpToAPublicAddressIsRefusedAlthoughPrivateOnesAreAllowed() throws Exception {
        try (WebhookPublisher publisher = watched(
                        WebhookPublisher.to(URI.create("http://hooks.example/")).allowPrivate(true))
                .resolver(name -> addresses("8.8.8.8"))
                .build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.STOP);
            assertThat(connected).isEmpty();
        }
    }

    @Test
    void linkLocalAddressesStayRefusedAlthoughPrivateOnesAreAllowed() throws Exception {
        try (WebhookPublisher publisher =
                named(name -> addresses("169.254.169.254")).allowPrivate(true).build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.STOP);
            assertThat(connected).isEmpty();
        }
    }

    @Test
    void theNameOfThisMachineIsLookedThrough() throws Exception {
        try (WebhookPublisher publisher =
                watched(WebhookPublisher.to(URI.create("https://localhost/"))).build()) {
            assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.STOP);
            assertThat(connected).isEmpty();
        }
    }

    @Test
    void aProxyThatWouldResolveTheNameOnceMoreIsNotUsed() throws Exception {
        ProxySelector before = ProxySelector.getDefault();
        try (MockWebServer server = new MockWebServer();
                RawServer proxy = new RawServer(RawServer.Connection::holdStill)) {
            server.start(InetAddress.getLoopbackAddress(), 0);
            server.enqueue(new MockResponse.Builder().build());
            ProxySelector.setDefault(
                    ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port())));
            try (WebhookPublisher publisher = WebhookPublisher.to(
                            URI.create("http://hooks.example:" + server.getPort() + "/hook"))
                    .allowPrivate(true)
                    .resolver(name -> addresses("127.0.0.1"))
                    .timeout(Duration.ofSeconds(5))
                    .build()) {
                Sending.published(Sending.publish(publisher, Sending.anyMessage()));
                assertThat(proxy.connections()).isZero();
            }
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    private WebhookPublisher.Builder named(Dns resolver) {
        return watched(WebhookPublisher.to(URI.create("https://hooks.example/hook")))
                .resolver(resolver)
                .timeout(Duration.ofSeconds(5));
    }

    /** Connects no socket, but records the addresses. */
    private WebhookPublisher.Builder watched(WebhookPublisher.Builder builder) {
        return builder.tuning(client -> client.socketFactory(new RecordingSockets()));
    }

    private static List<InetAddress> addresses(String... addresses) {
        return List.of(addresses).stream().map(Reach::literal).toList();
    }

    private final class RecordingSockets extends SocketFactory {
        @Override
        public Socket createSocket() {
            return new Socket() {
                @Override
                public void connect(SocketAddress endpoint, int timeout) throws IOException {
                    connected.add(((InetSocketAddress) endpoint).getAddress().getHostAddress());
                    throw new ConnectException("only recorded");
                }
            };
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
            throw new UnsupportedOperationException();
        }
    }
}
