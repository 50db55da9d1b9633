package org.pgbaton.mail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.pgbaton.publishing.WrappingSslSockets;

/**
 * The sockets of one connection, so that another thread can end it. The mail library's time limits are for single reads: a server that
 * sends a byte now and then would hold it for ever. Thread-safe.
 */
final class CuttableSockets {
    private final SSLSocketFactory ssl;
    private final List<Socket> open = new ArrayList<>();
    private boolean ended;

    CuttableSockets(SSLSocketFactory ssl) {
        this.ssl = ssl;
    }

    private synchronized Socket keep(Socket socket) throws IOException {
        if (ended) {
            socket.close();
            throw new IOException("the time is up");
        }
        open.add(socket);
        return socket;
    }

    /** Closes the sockets, so that nothing is sent any more, whatever the library is doing. */
    synchronized void end() {
        ended = true;
        for (Socket socket : open) {
            try {
                socket.close();
            } catch (IOException alreadyGone) {
                // The socket is closed, as intended.
            }
        }
    }

    synchronized boolean isEnded() {
        return ended;
    }

    SocketFactory plain() {
        return new Plain();
    }

    SSLSocketFactory secure() {
        return new WrappingSslSockets(ssl, this::keep);
    }

    /** The library connects the socket that it gets. */
    private final class Plain extends SocketFactory {
        @Override
        public Socket createSocket() throws IOException {
            return keep(new Socket());
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return keep(new Socket(host, port));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return keep(new Socket(host, port));
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
            return keep(new Socket(host, port, local, localPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
            return keep(new Socket(host, port, local, localPort));
        }
    }
}
