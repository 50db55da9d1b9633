/** What stands around Baton and can be made to fail: networks, disks, clocks. Nothing here knows of rounds. */
@NullMarked
package org.pgbaton.chaos.device;

import org.jspecify.annotations.NullMarked;
