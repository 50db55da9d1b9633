package org.pgbaton.server.command;

/** Shows something once, or again every second until Ctrl-C or until nobody reads it any more. */
public final class Watch {
    private Watch() {}

    public static void show(boolean again, Runnable page) throws InterruptedException {
        page.run();
        while (again && !System.out.checkError()) {
            Thread.sleep(1000);
            page.run();
        }
    }

    /** A new page, where there are pages. */
    public static void clear(boolean again) {
        if (again && Terminal.isOutput()) {
            System.out.print("\u001b[H\u001b[2J");
        }
    }
}
