/** Publishes messages as e-mail. */
module org.pgbaton.mail {
    requires transitive org.pgbaton;
    requires org.pgbaton.publishing;
    requires jakarta.mail;
    requires org.eclipse.angus.mail;
    requires static org.jspecify;

    exports org.pgbaton.mail;
}
