# SPDX-License-Identifier: LGPL-2.1-or-later
"""The one kind of error."""


class PmctrackError(OSError):
    """What libpmctrack or the kernel module refused.

    errno says what went wrong, strerror (the text of pmctrack_error()) what to
    do about it. EBADF: the object was closed; ELIBACC: there is no libpmctrack.
    """
