# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: phasedb."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import Sequence

from ..command_line import dispatch, interruptible, number
from ..failure import Failure
from . import plot, show, top
from .machine import kind_of_machine
from .records import Programs
from .store import DEFAULT, Row, Store
from .watch import Watch


ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _count(text: str) -> int:
    if int(text) < 0:
        raise ValueError
    return int(text)


_count.__name__ = "number"


def _tell_damaged(store: Store) -> None:
    for text in store.damaged:
        print(f"phasedb: {text}", file=sys.stderr)


def _which(store: Store, words: Sequence[str]) -> list[Row]:
    """Find rows by number, name or identity. Each word must name at least one row."""
    rows = list(store.rows())
    found: dict[int, Row] = {}
    for word in words:
        these = [r for r in rows if word in (str(r.number), r.name) or
                 len(word) >= 8 and r.key.identity.partition(":")[2].startswith(word)]
        if not these:
            raise Failure(f"no program '{word}' in {store.path}: see 'phasedb list'")
        found.update({r.number: r for r in these})
    return list(found.values())


def _list(options: argparse.Namespace) -> int:
    store = Store(options.database)
    show.print_rows(sys.stdout, store.rows(), options.form)
    _tell_damaged(store)
    return 1 if store.damaged else 0


def _show(options: argparse.Namespace) -> int:
    store = Store(options.database)
    rows = _which(store, [options.program])
    if len(rows) > 1:
        raise Failure(f"'{options.program}' are several, with the numbers "
                      f"{', '.join(str(r.number) for r in rows)}: give one of these")
    show.print_row(sys.stdout, rows[0], options.form)
    return 0


def _drop(options: argparse.Namespace) -> int:
    store = Store(options.database, write=options.database.exists())
    if options.older_than is not None:
        print(f"dropped {store.drop_older(options.older_than)}")
        return 0
    # Damaged rows, which have no name any more, can also be dropped.
    damaged = [int(w) for w in options.programs if w.isdigit() and not store.row(int(w))]
    numbers = damaged + [r.number for r in _which(
        store, [w for w in options.programs if not (w.isdigit() and int(w) in damaged)])]
    dropped = store.drop(numbers)
    if numbers and not dropped:
        raise Failure(f"no program '{numbers[0]}' in {store.path}: see 'phasedb list'")
    print(f"dropped {dropped}")
    return 0


def _merge(options: argparse.Namespace) -> int:
    other = Store(options.other)
    store = Store(options.database, write=True)
    taken = [store.take(row) for row in other.rows()]
    _tell_damaged(other)
    _tell_damaged(store)
    print(f"merged {sum(taken)} of {len(taken)} programs; {len(taken) - sum(taken)} were here")
    return 1 if other.damaged else 0


def _tell_trouble(watch: Watch, told: str | None) -> str | None:
    """Tell the user of trouble, once as long as it is the same. Returns what the trouble is."""
    if watch.trouble and watch.trouble != told:
        print(f"phasedb: {watch.trouble}; it is tried again", file=sys.stderr, flush=True)
    trouble, watch.trouble = watch.trouble, None
    return trouble


def _ended(seconds: float) -> bool:
    """Wait, but only until a signal. Returns True if a signal came."""
    return signal.sigtimedwait(ENDINGS, seconds) is not None


def _watch_module(options: argparse.Namespace, programs: Programs, store: Store) -> bool:
    """Watch until a signal, or until the module has gone (returns False)."""
    watch = Watch(programs, store, kind_of_machine(),
                  lambda text: print(text, flush=True) if options.verbose else None)
    cleared, told = 0.0, None
    while True:
        watch.look()
        if options.older_than and time.monotonic() - cleared > 3600:
            watch.drop_older(options.older_than)
            cleared = time.monotonic()
        told = _tell_trouble(watch, told)
        if not programs.alive():
            return False
        _tell_damaged(store)
        store.damaged.clear()
        if _ended(options.interval):
            break
    watch.look(last=True)
    _tell_trouble(watch, told)
    print(f"given to {watch.counts.given} processes, saved {watch.counts.saved} times; "
          f"{watch.counts.unknown} looks at processes that had ended")
    return True


def _programs(wait: bool, interval: float) -> Programs | None:
    """The module's file; None: a signal came before there was one."""
    while True:
        try:
            return Programs()
        except Failure as failure:
            if not wait or not isinstance(failure.__cause__, FileNotFoundError):
                raise failure
        if _ended(interval):
            return None


def _watch(options: argparse.Namespace) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    programs = _programs(options.wait, options.interval)
    if not programs:
        return 0
    store = Store(options.database, write=True)
    while programs and not _watch_module(options, programs, store):
        programs.close()
        gone = "the module fair_progress has gone: what it learnt in the last seconds is lost"
        if not options.wait:
            raise Failure(gone)
        print(f"phasedb: {gone}", file=sys.stderr, flush=True)
        programs = _programs(True, options.interval)
    return 0


def _top(options: argparse.Namespace) -> int:
    interruptible()
    programs = Programs()
    if options.form == "screen" and not sys.stdout.isatty():
        raise Failure("there is no terminal that shows a screen: use --batch")
    try:
        if options.form == "screen":
            top.screen(programs, options.interval, options.number)
        else:
            top.print_looks(sys.stdout, options.form, programs, options.interval, options.number)
    except KeyboardInterrupt:
        pass  # The command was asked to end, and what it wrote is whole.
    return 0


def _plot(options: argparse.Namespace) -> int:
    try:
        names = plot.plot(options.file, options.folder)
    except ImportError as missing:
        raise Failure(f"{missing}; install python3-matplotlib") from missing
    print("\n".join(str(options.folder / name) for name in names))
    return 0


def _forms(parser: argparse.ArgumentParser, *forms: str) -> None:
    group = parser.add_mutually_exclusive_group()
    texts = {"csv": "print comma-separated values", "json": "print JSON",
             "batch": "print tables, not a screen"}
    for form in forms:
        group.add_argument(f"--{form}", dest="form", action="store_const", const=form,
                           help=texts[form])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="phasedb", description="What the monitoring module "
                                     "fair_progress has learnt of programs, kept in a file.")
    parser.add_argument("-d", "--database", type=Path, default=DEFAULT, metavar="FILE",
                        help=f"the database ({DEFAULT})")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("list", help="which programs it has")
    _forms(command, "csv", "json")
    command.set_defaults(run=_list, form="table")

    command = commands.add_parser("show", help="the phases of one")
    command.add_argument("program", help="its number, name, or the beginning of its identity")
    _forms(command, "json")
    command.set_defaults(run=_show, form="table")

    command = commands.add_parser("merge", help="take what another database has")
    command.add_argument("other", type=Path, metavar="FILE")
    command.set_defaults(run=_merge)

    command = commands.add_parser("drop", help="forget programs")
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("programs", nargs="*", default=[], metavar="PROGRAM")
    which.add_argument("--older-than", type=number, metavar="DAYS",
                       help="those that nobody ran for so long")
    command.set_defaults(run=_drop)

    command = commands.add_parser("watch", help="keep what is learnt, and give it to new processes")
    command.add_argument("-i", "--interval", type=number, default=1.0, metavar="S",
                         help="between two looks (1)")
    command.add_argument("-v", "--verbose", action="store_true", help="say what is given to whom")
    command.add_argument("-w", "--wait", action="store_true",
                         help="for the module, if it is not there, or goes")
    command.add_argument("--older-than", type=number, metavar="DAYS",
                         help="forget what nobody ran for so long")
    command.set_defaults(run=_watch)

    command = commands.add_parser("top", help="how processes advance now")
    command.add_argument("-i", "--interval", type=number, default=1.0, metavar="S",
                         help="between two looks (1)")
    command.add_argument("-n", "--number", type=_count, default=0, metavar="N",
                         help="end after so many (0: never)")
    _forms(command, "batch", "csv", "json")
    command.set_defaults(run=_top, form="screen")

    command = commands.add_parser("plot", help="plots of what 'top --csv' wrote")
    command.add_argument("file", type=Path)
    command.add_argument("folder", type=Path)
    command.set_defaults(run=_plot)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    return dispatch("phasedb", _parser(), arguments)
