/**
 * Reads configuration files: YAML with line numbers, by tables of keys. All problems of a file are found at once. The same tables
 * make a JSON Schema. The meaning of the keys is known only to those who write the tables.
 */
@NullMarked
package org.pgbaton.server.config;

import org.jspecify.annotations.NullMarked;
