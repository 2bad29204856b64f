"""The hold `reports_second` without envpickle."""

from harbour import reports_second
from harbour.otherwise import bare

globals().update(bare(reports_second))
