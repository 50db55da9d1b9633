/**
 * Configuration files: YAML with line numbers, tables of keys, all problems at once, and a JSON Schema from the same tables. Knows
 * nothing of what the keys mean.
 */
@NullMarked
package org.pgbaton.server.config;

import org.jspecify.annotations.NullMarked;
