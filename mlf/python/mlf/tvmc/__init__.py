"""The hook into `tvmc`: another name of `mlf_tvmc`; see its README."""

from mlf_tvmc import *  # noqa: F403
