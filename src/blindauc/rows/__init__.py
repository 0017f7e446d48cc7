"""Access to the data. Rows in memory, on disk, on a cluster and on a device have the same few methods."""
