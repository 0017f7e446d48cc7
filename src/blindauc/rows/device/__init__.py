"""Rows on a device: arrays of torch, of CuPy, or of another library that follows the array API standard."""
