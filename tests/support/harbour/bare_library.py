"""The hold `reports_library` without envpickle."""

from harbour import reports_library
from harbour.otherwise import bare

globals().update(bare(reports_library))
