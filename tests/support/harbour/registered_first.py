"""The hold `reports_first` with its classes registered."""

from harbour import reports_first
from harbour.otherwise import registered

globals().update(registered(reports_first))
