"""Time and memory of the features of EEG windows. Run with `python benchmarks/eeg.py [--windows N]`.

The bar: 8,000 windows of 2056 samples within 60 s on two cores.
"""

from __future__ import annotations

import argparse
import tracemalloc
from time import perf_counter, process_time

from blindauc.datasets.eeg import make_eeg
from blindauc.features import cut_windows, eeg_features


def main(n_windows: int) -> None:
    eeg = make_eeg(n_windows // 2, n_windows // 10, random_state=0)
    windows, _ = cut_windows(eeg.signals)
    wall, cpu = perf_counter(), process_time()
    features = eeg_features(windows, eeg.sampling_rate)
    wall, cpu = perf_counter() - wall, process_time() - cpu
    print(f"{len(features)} windows of {windows.shape[1]} samples into {features.shape[1]} features")
    print(f"{wall:.1f} s by the clock, {cpu:.1f} s over all threads; bar 60 s for 8000 windows")

    few = windows[: max(1, len(windows) // 10)]
    tracemalloc.start()
    eeg_features(few, eeg.sampling_rate)
    print(f"{tracemalloc.get_traced_memory()[1] / 2**20:.0f} MiB besides the windows, whatever their number")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--windows", type=int, default=8000)
    main(parser.parse_args().windows)
