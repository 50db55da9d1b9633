package org.pgbaton.server.command;

/** Shows something once; or every second, until Ctrl-C or until nobody reads standard output any more. */
public final class Watch {
    private Watch() {}

    public static void show(boolean again, Runnable page) throws InterruptedException {
        page.run();
        while (again && !System.out.checkError()) {
            Thread.sleep(1000);
            page.run();
        }
    }

    /** Clears the screen, if something is shown again and standard output is a terminal. */
    public static void clear(boolean again) {
        if (again && Terminal.isOutput()) {
            System.out.print("\u001b[H\u001b[2J");
        }
    }
}
