# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs named in the papers, by what is known of them: how they use core, caches and memory.

The figures are of the order of such programs. No figure here is a speedup factor, because these
emerge (Documentation/simulation.md). `check.py` compares what emerges with the papers' classes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Spec:  # pylint: disable=too-many-instance-attributes
    """A program before its details are drawn. Rates are per 1000 instructions."""

    name: str
    description: str
    ilp: float
    """Instructions per cycle without limits; no event shows it."""
    mispredicts: float
    l1d_misses: float
    private: tuple[tuple[int, float], ...] = ((0, 1.0), (32, 0.1))
    """Share of misses by KiB of the private cache."""
    llc: tuple[tuple[int, float], ...] = ((0, 1.0), (256, 0.02))
    """Share of misses by KiB of the last-level cache."""
    overlap: float = 1.0
    """How much more misses are waited for together than in other programs; see mlp()."""
    front_end: float = 40
    """Cycles that decoding loses; part of stall_frontend."""
    branches: float = 150
    data: float = 350
    itlb: float = 0.05
    dtlb: float = 0.5
    write_backs: float = 0.3
    energy: float = 1.0
    contrast: float = 0.15
    """How much phases differ: standard deviation of the logarithm of rates."""
    phases: int = 3
    wander: float = 0.08
    threads: int = 1
    serial: float = 0.0
    """Share of the instructions that one thread does alone."""
    spins: bool = False
    imbalance: int = 0
    giga_instructions: float = 6.0

    def mlp(self) -> float:
        """Misses that are waited for together; no event shows it.

        Programs with few branches, such as loops over arrays, find more of them. That is a trend,
        from which each program departs.
        """
        return 1 + (0.2 + 3.2 * math.exp(-self.branches / 110)) * self.overlap


STREAM = ((0, 1.0), (65536, 0.95))
SMALL_L2 = ((0, 1.0), (16, 0.5), (96, 0.06))
BIG_L2 = ((0, 1.0), (48, 0.8), (400, 0.25))
NO_L2 = ((0, 1.0), (1024, 0.85))

# Threads, serial parts and classes are those of the paper on PMCTrack, Tables 2 to 5; memory
# behaviour of the others is that of the papers which use them.
PROGRAMS = (
    # Compute: wide cores pay off.
    Spec("calculix", "finite elements; computes, with much parallelism", 4.2, 1.2, 6, SMALL_L2,
         front_end=60),
    Spec("gamess", "quantum chemistry; computes, caches suffice", 4.5, 1.0, 3, SMALL_L2,
         front_end=70, branches=90, phases=2),
    Spec("namd", "molecules; computes", 2.1, 1.0, 5, SMALL_L2, front_end=25, branches=60),
    Spec("povray", "ray tracing; branches and calls", 2.2, 2.5, 4, SMALL_L2, front_end=80,
         branches=170),
    Spec("h264ref", "video; computes", 2.3, 2.0, 5, SMALL_L2, front_end=40),
    Spec("hmmer", "gene search; one tight loop", 3.0, 1.5, 3, SMALL_L2, front_end=20, phases=1,
         contrast=0.05),
    Spec("sixtrack", "particles; computes", 3.4, 0.8, 4, SMALL_L2, front_end=30, branches=70),
    Spec("mesa", "3D graphics; computes", 2.8, 2.2, 4, SMALL_L2),
    Spec("crafty", "chess; branches", 1.7, 6.5, 6, SMALL_L2, front_end=90, branches=130),
    # Branches: short pipelines do not lose much.
    Spec("sjeng", "chess; mispredicted branches", 0.9, 9.5, 5, SMALL_L2, front_end=15,
         branches=200),
    Spec("gobmk", "go; mispredicted branches", 0.85, 12.5, 8, SMALL_L2, front_end=20,
         branches=200),
    Spec("perlbmk", "interpreter; code misses", 1.9, 5, 7, SMALL_L2, front_end=160, branches=210,
         itlb=0.4),
    Spec("vortex", "data base; code misses", 2.2, 1.5, 8, SMALL_L2, front_end=190, branches=170,
         itlb=0.6),
    # Caches: it matters which data fit into which cache.
    Spec("bzip2", "compression; wants some MiB of cache", 2.2, 5, 14, BIG_L2,
         ((0, 1.0), (900, 0.55), (3300, 0.05)), phases=4, contrast=0.25, branches=140),
    Spec("sphinx3", "speech; wants some MiB of cache", 2.4, 3, 20, BIG_L2,
         ((0, 1.0), (1000, 0.7), (3600, 0.06)), branches=80),
    Spec("astar", "path search; misses depend on each other", 1.1, 9, 22, BIG_L2,
         ((0, 1.0), (2000, 0.6), (9000, 0.2)), phases=4, contrast=0.3, dtlb=4,
         branches=200),
    Spec("wupwise", "physics; streams a little", 3.0, 0.8, 9, BIG_L2,
         ((0, 1.0), (4000, 0.75), (16000, 0.5)), branches=60),
    Spec("facerec", "faces; wants some MiB of cache", 2.7, 1.5, 14, BIG_L2,
         ((0, 1.0), (1500, 0.5), (4500, 0.1)), phases=4, contrast=0.25, branches=90),
    Spec("art", "neural network; wants some MiB of cache", 2.0, 1.5, 38, BIG_L2,
         ((0, 1.0), (1200, 0.45), (3900, 0.05)), branches=70),
    # Memory.
    Spec("mcf", "flow network; misses everywhere, many at once", 1.4, 9, 55, NO_L2,
         ((0, 1.0), (1000, 0.75), (4000, 0.28), (24000, 0.1)), dtlb=9, phases=4,
         contrast=0.25, branches=75),
    Spec("GemsFDTD", "fields; streams, many misses at once", 3.2, 0.6, 28, NO_L2,
         ((0, 1.0), (1000, 0.8), (4000, 0.32), (24000, 0.2)), branches=40, dtlb=2),
    Spec("soplex", "linear programs; misses, many at once", 1.8, 4, 32, NO_L2,
         ((0, 1.0), (1000, 0.85), (4200, 0.3), (20000, 0.2)), phases=4, contrast=0.25,
         dtlb=3, branches=70),
    Spec("libquantum", "quantum computer; streams one array", 2.5, 0.3, 30, NO_L2, STREAM,
         branches=330, phases=2, contrast=0.05, write_backs=0.5),
    Spec("lbm", "fluid; streams, and writes it back", 3.0, 0.3, 38, NO_L2, STREAM,
         branches=25, phases=1, contrast=0.05, write_backs=0.9),
    Spec("swim", "weather; streams", 3.4, 0.2, 30, NO_L2,
         ((0, 1.0), (6000, 0.9), (40000, 0.7)), branches=30, write_backs=0.6),
    Spec("bwaves", "blast waves; streams in some phases", 3.0, 0.6, 24, NO_L2,
         ((0, 1.0), (6000, 0.85), (40000, 0.6)), branches=45, phases=4, contrast=0.4),
    Spec("milc", "lattice; streams", 2.6, 0.3, 24, NO_L2, STREAM, branches=110, phases=4,
         contrast=0.25),
    Spec("omnetpp", "network simulation; misses depend on each other", 1.3, 5, 26, NO_L2,
         ((0, 1.0), (2000, 0.7), (12000, 0.2)), dtlb=5, branches=240),
    # Parallel programs.
    Spec("fma3d", "crash simulation, OpenMP", 2.9, 1.0, 8, SMALL_L2, threads=5, serial=0.02,
         imbalance=4),
    Spec("blackscholes", "option prices, PARSEC", 3.2, 1.0, 3, SMALL_L2, threads=9, serial=0.08,
         phases=1),
    Spec("BLAST", "gene search; long serial parts", 2.4, 3.5, 6, SMALL_L2, threads=6, serial=0.10),
    Spec("semphy", "phylogeny; long serial parts", 3.1, 1.5, 5, SMALL_L2, threads=6, serial=0.09),
    Spec("FFTW3D", "Fourier transform; memory, and long serial parts", 3.2, 0.4, 26, NO_L2,
         ((0, 1.0), (4000, 0.8), (32000, 0.5)), threads=5, serial=0.10, branches=60),
    Spec("streamcluster", "clustering, PARSEC; streams", 2.6, 0.5, 22, NO_L2,
         ((0, 1.0), (8000, 0.9), (20000, 0.1)), threads=4, spins=True, imbalance=3,
         branches=120),
    Spec("x264", "video, PARSEC", 2.6, 3, 9, BIG_L2, ((0, 1.0), (2000, 0.5), (8000, 0.1)),
         threads=4, imbalance=8),
    Spec("ilbdc", "fluid, OpenMP; streams", 2.8, 0.3, 34, NO_L2, STREAM, threads=4,
         branches=40, write_backs=0.8, phases=1, contrast=0.05),
    Spec("applu331", "fluid, OpenMP; wants much cache", 3.0, 0.6, 24, NO_L2,
         ((0, 1.0), (4000, 0.7), (18000, 0.15)), threads=4, branches=50),
    Spec("raytrace", "ray tracing, PARSEC", 2.1, 3, 7, BIG_L2,
         ((0, 1.0), (1500, 0.4), (5000, 0.08)), threads=4),
)

NAMES = tuple(spec.name for spec in PROGRAMS)
