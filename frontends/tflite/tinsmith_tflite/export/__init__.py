"""Graphs as TFLite files: `export_tflite` in `exporter.py`, the inverse of the importer's tables by subject."""
