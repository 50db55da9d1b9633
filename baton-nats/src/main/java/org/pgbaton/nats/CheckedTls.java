package org.pgbaton.nats;

import java.io.IOException;
import java.net.Socket;
import java.security.KeyManagementException;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.pgbaton.publishing.WrappingSslSockets;

/**
 * Adds to a TLS context a check that NATS's client leaves out: that the certificate belongs to the host we asked for.
 * Without it, anybody with any valid certificate could pretend to be that host.
 */
final class CheckedTls extends SSLContext {
    private CheckedTls(SSLContext context, String host) {
        super(new Spi(context, host), context.getProvider(), context.getProtocol());
    }

    /** @param host the name in the certificate */
    static SSLContext of(SSLContext context, String host) {
        return new CheckedTls(context, host);
    }

    private static final class Spi extends SSLContextSpi {
        private final SSLContext context;
        private final String host;

        Spi(SSLContext context, String host) {
            this.context = context;
            this.host = host;
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return new Sockets(context.getSocketFactory(), host);
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
                throws KeyManagementException {
            context.init(keys, trust, random);
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            return context.getServerSocketFactory();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            return context.createSSLEngine();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            return context.createSSLEngine(host, port);
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            return context.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            return context.getClientSessionContext();
        }
    }

    private static final class Sockets extends WrappingSslSockets {
        private final String host;

        Sockets(SSLSocketFactory factory, String host) {
            super(factory, Sockets::checked);
            this.host = host;
        }

        /** The client hands over the address that it has resolved. The certificate is for the name. */
        @Override
        public Socket createSocket(Socket plain, String resolved, int port, boolean autoClose) throws IOException {
            return super.createSocket(plain, host, port, autoClose);
        }

        private static Socket checked(Socket made) {
            SSLSocket socket = (SSLSocket) made;
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            return socket;
        }
    }
}
