"""The hold `reports_first` without envpickle."""

from harbour import reports_first
from harbour.otherwise import bare

globals().update(bare(reports_first))
