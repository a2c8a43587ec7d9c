"""Predicted labels compared with gold ones: counts per sentence, figures, intervals, calibration, and reports."""
