"""`python -m mlf.tvmc` is `python -m mlf_tvmc`."""

import sys

from mlf_tvmc.command_line import main

sys.exit(main())
