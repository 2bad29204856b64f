"""The hold `reports_made` with its classes registered."""

from harbour import reports_made
from harbour.otherwise import registered

globals().update(registered(reports_made))
