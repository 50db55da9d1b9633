package org.pgbaton.proofs.leadership;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A pooler at its worst: it gives each client two backends and takes the next one after every statement. It passes the
 * first backend's process id on, as if nobody were in between, so that only state that is stored in the session can
 * reveal it.
 */
final class RotatingProxy implements AutoCloseable {
    private static final int READY_FOR_QUERY = 'Z';

    private final ServerSocket listener;
    private final int serverPort;
    private final int faithful;

    /** @param faithful how many statements of a client the first backend gets before the rotation begins */
    RotatingProxy(int serverPort, int faithful) throws IOException {
        this.serverPort = serverPort;
        this.faithful = faithful;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        startThread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                startThread(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket one = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                Socket two = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            byte[] startup = startup(in, out);
            Socket[] backends = {one, two};
            for (Socket backend : backends) {
                DataOutputStream to = new DataOutputStream(backend.getOutputStream());
                to.writeInt(startup.length + 4);
                to.write(startup);
                to.flush();
                relayUntilReady(new DataInputStream(backend.getInputStream()), backend == one ? out : null);
            }
            for (int turn = 0; ; turn++) {
                Socket backend = backends[Math.max(0, turn - faithful) % 2];
                if (!forwardUntilSync(in, new DataOutputStream(backend.getOutputStream()))) {
                    return;
                }
                relayUntilReady(new DataInputStream(backend.getInputStream()), out);
            }
        } catch (IOException ended) {
            // The client or the server went away; so does this connection.
        }
    }

    /** The first message has no type; before it may come a request for TLS, which is declined. */
    private static byte[] startup(DataInputStream in, DataOutputStream out) throws IOException {
        while (true) {
            byte[] body = new byte[in.readInt() - 4];
            in.readFully(body);
            if (body.length != 4) {
                return body;
            }
            out.writeByte('N');
            out.flush();
        }
    }

    /** @return false when the client says goodbye */
    private static boolean forwardUntilSync(DataInputStream in, DataOutputStream to) throws IOException {
        while (true) {
            int type = in.readUnsignedByte();
            copyBody(type, in, to);
            to.flush();
            if (type == 'X') {
                return false;
            }
            if (type == 'S' || type == 'Q') {
                return true;
            }
        }
    }

    private static void relayUntilReady(DataInputStream from, DataOutputStream out) throws IOException {
        int type;
        do {
            type = from.readUnsignedByte();
            copyBody(type, from, out);
        } while (type != READY_FOR_QUERY);
        if (out != null) {
            out.flush();
        }
    }

    private static void copyBody(int type, DataInputStream from, DataOutputStream to) throws IOException {
        int length = from.readInt();
        byte[] body = new byte[length - 4];
        from.readFully(body);
        if (to != null) {
            to.writeByte(type);
            to.writeInt(length);
            to.write(body);
        }
    }

    private static void startThread(Runnable work) {
        Thread thread = new Thread(work, "rotating-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
