"""Networks over a window of time that take one frame per run, and keep what earlier frames left in states."""

from tinsmith_streaming.stream_frames import StreamFrames, Streaming

__all__ = ["StreamFrames", "Streaming"]
