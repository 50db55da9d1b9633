@NullMarked
package org.pgbaton.spring;

import org.jspecify.annotations.NullMarked;
