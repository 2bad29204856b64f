"""What ``python -m envpickle`` runs: the same as the command ``envpickle``."""

from .cli import main

if __name__ == "__main__":
    main()
