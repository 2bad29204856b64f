"""The hold `reports_library` with its classes registered."""

from harbour import reports_library
from harbour.otherwise import registered

globals().update(registered(reports_library))
