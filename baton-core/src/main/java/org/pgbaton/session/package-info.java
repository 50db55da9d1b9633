/** The dedicated connection whose life is the life of its locks. Not API. */
@NullMarked
package org.pgbaton.session;

import org.jspecify.annotations.NullMarked;
