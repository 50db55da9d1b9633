package org.pgbaton.publishing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A factory that makes the sockets of another factory, and passes each of them through a function before it is used.
 */
public class WrappingSslSockets extends SSLSocketFactory {
    /** The function that each socket passes through. */
    @FunctionalInterface
    public interface Wrapper {
        /** The socket to be used in place of this one. */
        Socket wrap(Socket socket) throws IOException;
    }

    private final SSLSocketFactory factory;
    private final Wrapper wrapper;

    /** Makes the sockets of this factory, and hands each to the wrapper. */
    public WrappingSslSockets(SSLSocketFactory factory, Wrapper wrapper) {
        this.factory = factory;
        this.wrapper = wrapper;
    }

    @Override
    public Socket createSocket() throws IOException {
        return wrapper.wrap(factory.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return wrapper.wrap(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return wrapper.wrap(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return wrapper.wrap(factory.createSocket(host, port, local, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return wrapper.wrap(factory.createSocket(host, port, local, localPort));
    }

    @Override
    public Socket createSocket(Socket below, String host, int port, boolean autoClose) throws IOException {
        return wrapper.wrap(factory.createSocket(below, host, port, autoClose));
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return factory.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return factory.getSupportedCipherSuites();
    }
}
