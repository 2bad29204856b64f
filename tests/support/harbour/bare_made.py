"""The hold `reports_made` without envpickle."""

from harbour import reports_made
from harbour.otherwise import bare

globals().update(bare(reports_made))
