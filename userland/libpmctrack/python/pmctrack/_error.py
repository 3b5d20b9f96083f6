# SPDX-License-Identifier: LGPL-2.1-or-later
"""The exception of this package."""


class PmctrackError(OSError):
    """libpmctrack or the kernel module refused a call.

    errno says what went wrong; strerror (the text of pmctrack_error()) says what to do
    about it. EBADF: the object was closed; ELIBACC: there is no libpmctrack.
    """
