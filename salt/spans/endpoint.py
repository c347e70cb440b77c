"""A chat model behind an OpenAI-compatible endpoint (``POST …/chat/completions``)."""

import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from alee_mteb.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    import httpx

#: Answers of a server that may be different next time.
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}
#: Longest time to wait before a further try, whatever the server asks for.
_LONGEST_WAIT = 120.0


class EndpointChat:
    """Asks several questions at once; a question that fails is tried again, after a longer wait each time.

    A question that fails to the end has no answer. If that happens to several in a row, the endpoint counts
    as unusable; so does one that refuses (401, 404, …) or does not speak the protocol.

    Args:
        url: base address, such as ``http://localhost:8000/v1``.
        model: its name there.
        key: sent as bearer token; kept out of settings, errors and logs.
        timeout: seconds for one try.
        tries: for one question.
        wait: seconds before the second try; doubled for each further one; up to as much again is added at random.
        concurrency: questions at once.
        max_tokens: longest answer.
        temperature: 0 for the likeliest answer.
        failures_in_a_row: after so many questions without an answer, give up.

    Raises:
        ModelError: not an http(s) address, or it holds a password.
        MissingExtraError: httpx or tenacity is not installed.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        timeout: float = 120.0,
        tries: int = 5,
        wait: float = 1.0,
        concurrency: int = 8,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        failures_in_a_row: int = 5,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ModelError(
                f"endpoint {parts.hostname or url!r}: expected an address such as http://localhost:8000/v1"
            )
        if parts.username or parts.password:
            raise ModelError(
                f"endpoint {parts.hostname}: no password in the address; name a variable with --api-key-env"
            )
        for module in ("httpx", "tenacity"):
            _require(module)
        self.name = model
        self.settings: Mapping[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}
        self._url = url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        self._key = key
        self._timeout, self._tries, self._wait = timeout, tries, wait
        self._concurrency, self._failures_in_a_row = concurrency, failures_in_a_row
        self._lock = threading.Lock()
        self._failed_in_a_row = 0
        self.last_problem: str | None = None

    def answers(self, prompts: Sequence[str]) -> Iterator[tuple[int, str | None]]:
        """See `salt.spans.chat.ChatModel`."""
        import httpx

        stopping = threading.Event()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        limits = httpx.Limits(max_connections=self._concurrency, max_keepalive_connections=self._concurrency)
        with (
            httpx.Client(headers=headers, timeout=self._timeout, limits=limits) as client,
            ThreadPoolExecutor(self._concurrency) as threads,
        ):
            futures: dict[Future[str | None], int] = {
                threads.submit(self._answer, client, prompt, stopping): number for number, prompt in enumerate(prompts)
            }
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:  # after an error, or when nobody wants to know any more: neither ask the rest nor try again
                stopping.set()
                threads.shutdown(wait=False, cancel_futures=True)

    def _answer(self, client: "httpx.Client", prompt: str, stopping: threading.Event) -> str | None:
        from tenacity import RetryError, Retrying, retry_if_exception_type, sleep_using_event, stop_after_attempt
        from tenacity.stop import stop_when_event_set

        tries = Retrying(
            stop=stop_after_attempt(self._tries) | stop_when_event_set(stopping),
            wait=self._waiting(),
            retry=retry_if_exception_type(_PassingError),
            sleep=sleep_using_event(stopping),
        )
        try:
            answer = tries(self._once, client, prompt)
        except RetryError as error:
            self._note_failure(str(error.last_attempt.exception()))
            return None
        with self._lock:
            self._failed_in_a_row = 0
        return answer

    def _note_failure(self, problem: str) -> None:
        problem = self._without_key(problem)
        with self._lock:
            self.last_problem = problem
            self._failed_in_a_row += 1
            too_many = self._failed_in_a_row >= self._failures_in_a_row
        if too_many:
            raise self._unusable(
                f"{self._failed_in_a_row} questions in a row failed after {self._tries} tries: {problem}"
            )

    def _once(self, client: "httpx.Client", prompt: str) -> str:
        import httpx

        body = {"model": self.name, "messages": [{"role": "user", "content": prompt}], **self.settings}
        try:
            response = client.post(self._url, json=body)
        except httpx.TimeoutException as error:
            raise _PassingError(f"no answer within {self._timeout:g} s") from error
        except httpx.TransportError as error:
            raise _PassingError(str(error) or type(error).__name__) from error
        except httpx.HTTPError as error:
            raise self._unusable(str(error)) from error
        if response.status_code in _PASSING:
            raise _PassingError(f"status {response.status_code}", _seconds(response.headers.get("retry-after")))
        if response.status_code in {401, 403}:
            raise self._unusable(f"status {response.status_code}; it wants a key, or another one")
        if response.status_code != 200:
            raise self._unusable(f"status {response.status_code}: {response.text[:200]}")
        try:
            content = response.json()["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise self._unusable("its answer is not that of an OpenAI-compatible chat endpoint") from error
        return content if isinstance(content, str) else ""

    def _waiting(self) -> Callable[[Any], float]:
        from tenacity import RetryCallState

        def wait(state: RetryCallState) -> float:
            problem = state.outcome.exception() if state.outcome else None
            if isinstance(problem, _PassingError) and problem.retry_after is not None:
                return min(problem.retry_after, _LONGEST_WAIT)
            # The jitter keeps questions that failed together from coming back together; nothing depends on it.
            return min(self._wait * 2 ** (state.attempt_number - 1), _LONGEST_WAIT) + random.uniform(0, self._wait)

        return wait

    def _unusable(self, problem: str) -> ModelError:
        return ModelError(f"endpoint {urlsplit(self._url).netloc}, model {self.name!r}: {self._without_key(problem)}")

    def _without_key(self, text: str) -> str:
        """Some servers repeat the key in what they say."""
        return text.replace(self._key, "***") if self._key else text


class _PassingError(Exception):
    """A try that failed and may succeed next time; `retry_after` in seconds if the server said so."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def _seconds(value: str | None) -> float | None:
    """A Retry-After header in seconds; a date is not heeded."""
    return float(value) if value and value.isdecimal() else None


def _require(module: str) -> None:
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise MissingExtraError(module, "salt", "asking an endpoint")
