-- Relays that publish in transactions of their target: lanes are owned in groups, and what is passed over is recorded beforehand.
-- compatible-from: 1

-- Only routines changed: set_aside and lane_status.
