"""The hold `reports_second` with its classes registered."""

from harbour import reports_second
from harbour.otherwise import registered

globals().update(registered(reports_second))
