"""The hook into `tvmc`: another name of `mlf_tvmc`, whose README says how to use it."""

from mlf_tvmc import *  # noqa: F403
