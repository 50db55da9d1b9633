-- Lanes of a target that was replaced are given to nobody any more.
-- compatible-from: 1

-- Only routines changed: take_lane.
