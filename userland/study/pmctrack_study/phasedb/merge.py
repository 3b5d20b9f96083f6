# SPDX-License-Identifier: GPL-2.0-or-later
"""Merge two records of a program that was learnt in two places."""

from __future__ import annotations

from math import ceil

from .records import (CORE_TYPES, FADING, FOLLOWERS, MOST_WINDOWS, NEXT, NO_PHASE, PHASES,
                      Followers, Phase, Record, Speed, copy_of, followers_in)

# Phases that are nearer than this (of 2) are the same. The module allows as much beyond chance.
NEAR = int(0.15 * 65536)
SAME_PRESSURE = 5  # as the module has it


def distance(mine: Phase, other: Phase) -> int:
    """Distance between the means, in 2^-16."""
    return sum(abs(here - there) for here, there in zip(mine.mean, other.mean))


def _mean(mine: int, weight: int, other: int, its_weight: int) -> int:
    return round((mine * weight + other * its_weight) / (weight + its_weight))


def _merge_speed(mine: Speed, other: Speed, new: float) -> None:
    """Add @other to @mine. Speeds under less pressure are nearer to the truth."""
    beside, valid = ceil(other.other * new), ceil(other.valid * new)
    if beside:
        mine.beside = _mean(mine.beside, mine.other, other.beside, beside)
        mine.other = min(mine.other + beside, FADING)
    if not valid:
        return
    if not mine.valid or other.pressure * 2 + SAME_PRESSURE < mine.pressure:
        for name in ("alone", "valid", "variance", "pressure"):
            setattr(mine, name, getattr(other, name))
    elif other.pressure <= mine.pressure * 2 + SAME_PRESSURE:
        mine.alone = _mean(mine.alone, mine.valid, other.alone, valid)
        mine.variance = _mean(mine.variance, mine.valid, other.variance, valid)
        mine.pressure = min(mine.pressure, other.pressure)
        mine.valid = min(mine.valid + valid, FADING)
    mine.ignored = 0


def _merge_phase(mine: Phase, other: Phase, seen: int) -> None:
    """Add @other to @mine, which does not have @seen of its windows yet."""
    weights = min(mine.seen, FADING), min(seen, FADING)
    for i, (here, there) in enumerate(zip(mine.mean, other.mean)):
        mine.mean[i] = _mean(here, weights[0], there, weights[1])
    for i in range(CORE_TYPES):
        _merge_speed(mine.speed[i], other.speed[i], seen / other.seen)
    mine.seen = min(mine.seen + seen, MOST_WINDOWS)
    mine.age = min(mine.age, other.age)


def _nearest(merged: Record, phase: Phase) -> int | None:
    """The number of the same phase in @merged, or None."""
    far, number = min(((distance(merged.phase[k], phase), k) for k in merged.phases()),
                      default=(NEAR + 1, 0))
    return number if far <= NEAR else None


def _place_for(merged: Record, phase: Phase) -> int | None:
    """A free place, or that of a phase that was seen less often."""
    rarest = min(range(PHASES), key=lambda i: merged.phase[i].seen)
    return rarest if merged.phase[rarest].seen < phase.seen else None


def _forget(merged: Record, phase: int) -> None:
    """Forget what follows a phase, because its number will be that of another phase."""
    for entry in merged.followers:
        if phase in (entry.phase, entry.before, *followers_in(entry)):
            entry.times[:] = [0] * NEXT


def _merge_followers(merged: Record, other: Record, number: dict[int, int]) -> None:
    """Add what @other says of unknown keys. @number: numbers of its phases in @merged."""
    known = {(entry.before, entry.phase) for entry in merged.followers if entry.times[0]}
    free = [entry for entry in merged.followers if not entry.times[0]]
    for entry in other.followers:
        kept = [(number[n], times) for n, times in followers_in(entry).items() if n in number]
        before = NO_PHASE if entry.before == NO_PHASE else number.get(entry.before)
        phase = number.get(entry.phase)
        if not kept or before is None or phase is None or (before, phase) in known or not free:
            continue
        place: Followers = free.pop()
        place.before, place.phase = before, phase
        for i in range(NEXT):
            place.next[i], place.times[i] = kept[i] if i < len(kept) else (0, 0)


def merge(mine: Record, other: Record, new: float = 1.0) -> Record:
    """What both know. @new: the part of the windows of @other that @mine has not seen."""
    merged = copy_of(mine)
    fresh = min(round(other.program.windows * new), MOST_WINDOWS - mine.program.windows)
    # The windows of the other record are the last.
    for i in merged.phases():
        merged.phase[i].age += fresh
    number: dict[int, int] = {}
    for i in sorted(other.phases(), key=lambda i: -other.phase[i].seen):
        phase = other.phase[i]
        seen = max(1, round(phase.seen * new))
        nearest = _nearest(merged, phase)
        if nearest is not None:
            _merge_phase(merged.phase[nearest], phase, seen)
            number[i] = nearest
            continue
        place = _place_for(merged, phase)
        if place is None:
            continue
        _forget(merged, place)
        number = {k: v for k, v in number.items() if v != place}
        merged.phase[place] = Phase.from_buffer_copy(phase)
        number[i] = place
    assert len(merged.followers) == FOLLOWERS
    _merge_followers(merged, other, number)
    # No phase has more windows than there are, however the parts were rounded.
    merged.program.windows = max(mine.program.windows + fresh, *(
        merged.phase[i].seen + merged.phase[i].age for i in merged.phases()), 0)
    return merged
