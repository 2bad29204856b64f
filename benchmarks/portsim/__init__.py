"""portsim: a small port served by the real OpenEnv package (see README.md beside this file)."""
