package org.pgbaton.mail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * An SMTP server on loopback that takes everything, or answers a command as the test says, also against the protocol.
 */
final class SmtpServer implements AutoCloseable {
    /** Answers that are no lines. */
    static final String HANG = "hang";

    static final String DRIP = "drip";
    static final String RESET = "reset";

    private final ServerSocket listening;
    private final @Nullable SSLContext tls;
    /** From a command in capitals, {@code GREETING}, or {@code END} of the data, to an answer; null: the usual one. */
    private volatile Function<String, @Nullable String> answers = command -> null;

    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    final List<String> mails = new CopyOnWriteArrayList<>();
    final List<String> commands = new CopyOnWriteArrayList<>();
    final AtomicInteger connections = new AtomicInteger();

    /** @param tls for STARTTLS; without one it is not offered */
    SmtpServer(@Nullable SSLContext tls) throws IOException {
        this.tls = tls;
        this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        start(() -> {
            while (true) {
                Socket socket = listening.accept();
                sockets.add(socket);
                connections.incrementAndGet();
                start(() -> converse(socket));
            }
        });
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (Exception over) {
                        // The client has left, or the test is over.
                    }
                },
                "smtp-server");
        thread.setDaemon(true);
        thread.start();
    }

    SmtpServer answering(Function<String, @Nullable String> wanted) {
        this.answers = wanted;
        return this;
    }

    int port() {
        return listening.getLocalPort();
    }

    private void converse(Socket plain) throws Exception {
        Socket socket = plain;
        BufferedReader in = reader(socket);
        say(socket, "GREETING", "220 ready");
        String line;
        while ((line = in.readLine()) != null) {
            commands.add(line);
            String command = line.split("[ :]")[0].toUpperCase(Locale.ROOT);
            switch (command) {
                case "EHLO" ->
                    say(
                            socket,
                            command,
                            "250-here\r\n" + (tls != null && socket == plain ? "250-STARTTLS\r\n" : "")
                                    + "250 AUTH PLAIN LOGIN");
                case "STARTTLS" -> {
                    say(socket, command, "220 go ahead");
                    if (tls == null) {
                        return;
                    }
                    SSLSocket secure =
                            (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
                    secure.setUseClientMode(false);
                    secure.startHandshake();
                    socket = secure;
                    in = reader(socket);
                }
                case "DATA" -> {
                    if (!say(socket, command, "354 go on").startsWith("354")) {
                        break;
                    }
                    StringBuilder mail = new StringBuilder();
                    while ((line = in.readLine()) != null && !line.equals(".")) {
                        mail.append(line).append('\n');
                    }
                    String answer = answer("END", "250 taken");
                    if (answer.startsWith("250")) {
                        mails.add(mail.toString()); // before the client, and with it the test, can know
                    }
                    say(socket, answer);
                }
                case "AUTH" -> say(socket, command, "235 welcome");
                case "QUIT" -> {
                    say(socket, command, "221 bye");
                    socket.close();
                    return;
                }
                default -> say(socket, command, "250 ok");
            }
        }
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private String say(Socket socket, String command, String usually) throws Exception {
        String answer = answer(command, usually);
        say(socket, answer);
        return answer;
    }

    private String answer(String command, String usually) {
        String wanted = answers.apply(command);
        return wanted == null ? usually : wanted;
    }

    private static void say(Socket socket, String answer) throws Exception {
        switch (answer) {
            case HANG -> Thread.sleep(60_000);
            case DRIP -> {
                while (true) {
                    write(socket, "250-a\r\n");
                    Thread.sleep(20);
                }
            }
            case RESET -> {
                socket.setSoLinger(true, 0);
                socket.close();
            }
            default -> write(socket, answer + "\r\n");
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
