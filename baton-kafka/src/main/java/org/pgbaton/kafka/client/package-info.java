/** What both publishers share: settings, records, names, and what failures mean. Not for applications. */
@NullMarked
package org.pgbaton.kafka.client;

import org.jspecify.annotations.NullMarked;
