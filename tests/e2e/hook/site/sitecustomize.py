"""Python runs this at its start: so that programs under test find a complete TVM."""

import wheel

wheel.complete()
