"""An operator that Tinsmith does not have, from TFLite file to firmware: y = x where x > theta, else 0."""
