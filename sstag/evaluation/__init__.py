"""Gold labels beside predicted ones: counts per sentence, figures, intervals, calibration, and reports of them."""
