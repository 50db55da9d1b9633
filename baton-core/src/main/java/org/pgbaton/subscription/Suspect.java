package org.pgbaton.subscription;

/** From this message on its key is to be set aside. */
record Suspect(long position, Verdict verdict, String error) {}
