"""What a vLLM server tells about itself over HTTP."""

from functools import cached_property
from typing import Any

import httpx

__all__ = ["Served", "Unreachable"]

_SECONDS = 60.0  # for one answer: before its first /server_info, vLLM runs several programs to learn of its machine
_TO_CONNECT = 5.0


class Unreachable(Exception):
    """The server gave no usable answer; the text says which."""


class Served:
    """A vLLM server, asked when something is first looked up.

    Args:
        url: Its base address, such as ``http://localhost:8000``.
        seconds: How long to wait for one answer.
    """

    def __init__(self, url: str, seconds: float = _SECONDS) -> None:
        self.url = url.rstrip("/")
        self._seconds = seconds

    @cached_property
    def models(self) -> list[dict[str, Any]]:
        """The models it serves (``id``, ``max_model_len``, ...); an adapter is one too, with a ``parent``.

        Raises:
            Unreachable: There is no such server.
        """
        listed = self._get("/v1/models")
        models = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(models, list) or not models or not all(isinstance(model, dict) for model in models):
            raise Unreachable(f"{self.url}/v1/models lists no models: {listed!r:.200}")
        return models

    @cached_property
    def max_model_len(self) -> int:
        """The most tokens of one request, prompt and answer together.

        Raises:
            Unreachable: There is no such server, or it does not say.
        """
        length = self.models[0].get("max_model_len")
        if not isinstance(length, int):
            raise Unreachable(f"{self.url}/v1/models tells no max_model_len; is it a vLLM server?")
        return length

    @cached_property
    def version(self) -> str | None:
        """VLLM's version, or None if the server does not say."""
        answer = self._get("/version", missing={})
        version = answer.get("version") if isinstance(answer, dict) else None
        return version if isinstance(version, str) else None

    @cached_property
    def info(self) -> dict[str, Any] | None:
        """Its configuration and environment variables; None if it is not in development mode, which tells them.

        Raises:
            Unreachable: There is no such server.
        """
        answer = self._get("/server_info", missing=None, config_format="json")
        fits = isinstance(answer, dict) and isinstance(answer.get("vllm_config"), dict)
        return answer if fits else None

    def _get(self, path: str, missing: Any = ..., **query: str) -> Any:
        url = f"{self.url}{path}"
        try:
            response = httpx.get(
                url, params=query, timeout=httpx.Timeout(self._seconds, connect=_TO_CONNECT), follow_redirects=True
            )
            if response.status_code in (403, 404, 405) and missing is not ...:
                return missing
            response.raise_for_status()
            return response.json()
        except (ImportError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # a proxy may take a further library
            raise Unreachable(f"{url}: {type(error).__name__}: {error}") from error
