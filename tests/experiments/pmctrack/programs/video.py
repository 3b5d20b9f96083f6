# SPDX-License-Identifier: GPL-2.0-or-later
"""A video (raw 4:2:0, 176x144) for encoders: calm parts and busy ones take turns.

Usage: video.py FILE
"""

from __future__ import annotations

import sys

import numpy as np

WIDTH, HEIGHT = 176, 144
# Pictures of a part; four parts.
PART = 400


def picture(number: int, busy: bool, lot: np.random.Generator) -> bytes:
    """Return a moving gradient; in busy parts also squares that move each way, and noise."""
    down, across = np.mgrid[0:HEIGHT, 0:WIDTH]
    luma = 96 + 48 * np.sin((across + 2 * number) / 37) + 32 * np.cos((down - number) / 23)
    if busy:
        for square in range(24):
            top = (square * 53 + number * (square % 7 - 3) * 3) % (HEIGHT - 16)
            left = (square * 97 + number * (square % 5 - 2) * 4) % (WIDTH - 16)
            luma[top:top + 16, left:left + 16] += 40 * (square % 3 - 1)
        luma += lot.normal(0, 2, luma.shape)
    else:
        luma += lot.normal(0, 0.7, luma.shape)
    chroma = np.full((HEIGHT // 2, WIDTH // 2), 128) + 20 * np.sin(number / 9)
    return b"".join(np.clip(plane, 16, 235).astype(np.uint8).tobytes()
                    for plane in (luma, chroma, chroma))


def main() -> None:
    """Write the video."""
    lot = np.random.default_rng(1)
    with open(sys.argv[1], "wb") as out:
        for number in range(4 * PART):
            out.write(picture(number, number // PART % 2 == 1, lot))


if __name__ == "__main__":
    main()
