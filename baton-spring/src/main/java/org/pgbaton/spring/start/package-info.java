/** Opening a Baton from the application's data source, and what runs from the start of the context to its end. */
@NullMarked
package org.pgbaton.spring.start;

import org.jspecify.annotations.NullMarked;
