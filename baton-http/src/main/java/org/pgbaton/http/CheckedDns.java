package org.pgbaton.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Dns;

/**
 * Resolves the endpoint's name, within the time limit, and returns only addresses that may be sent to.
 *
 * <p>Guarantee: a connection goes to an address that was checked here, because the client connects to what this returns
 * and resolves nothing by itself. If one address is refused, all are: a name with public and internal addresses is
 * hardly an accident.
 */
final class CheckedDns implements Dns {
    private final Dns resolver;
    private final Endpoint endpoint;
    private final Duration limit;
    private final ExecutorService executor;

    CheckedDns(Dns resolver, Endpoint endpoint, Duration limit, ExecutorService executor) {
        this.resolver = resolver;
        this.endpoint = endpoint;
        this.limit = limit;
        this.executor = executor;
    }

    /** The name resolves to an address that must not be sent to. */
    static final class Refused extends UnknownHostException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    @Override
    public List<InetAddress> lookup(String name) throws UnknownHostException {
        List<InetAddress> addresses = resolve(name);
        for (InetAddress address : addresses) {
            String refusal = endpoint.refusal(address);
            if (refusal != null) {
                throw new Refused(name + " resolves to " + address.getHostAddress() + ", " + refusal);
            }
        }
        return addresses;
    }

    /** On a thread of its own: a look-up can be neither interrupted nor limited. */
    private List<InetAddress> resolve(String name) throws UnknownHostException {
        try {
            Future<List<InetAddress>> found = executor.submit(() -> List.copyOf(resolver.lookup(name)));
            return found.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            throw unknown(name + " cannot be resolved", failure);
        } catch (RejectedExecutionException closed) {
            throw unknown(name + " is not resolved any more", closed);
        } catch (TimeoutException late) {
            throw unknown(name + " is not resolved within " + limit.toMillis() + " ms", late);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw unknown(name + " is not resolved any more", stop);
        }
    }

    private static UnknownHostException unknown(String message, Throwable cause) {
        UnknownHostException unknown = new UnknownHostException(message);
        unknown.initCause(cause);
        return unknown;
    }
}
