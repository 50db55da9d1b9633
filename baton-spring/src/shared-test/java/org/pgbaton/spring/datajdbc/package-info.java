@NullMarked
package org.pgbaton.spring.datajdbc;

import org.jspecify.annotations.NullMarked;
