"""The one door to the data: wherever the rows are, the floors above see the same few methods."""
