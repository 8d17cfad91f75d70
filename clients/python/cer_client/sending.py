"""Sends batches of sealed bundles to the node."""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Sequence, Set

from cer_client.narrowing import Narrowing
from cer_client.node import INTERNAL_ERROR, TOO_LARGE, TOO_MANY, LineResult, Node, NodeError, is_retryable
from cer_client.postponed import Held, Postponed
from cer_client.projects import is_project, sealed_hash
from cer_client.spool import Batch, Spool
from cer_verify import Members, get, text_of

# Maximum bundles of one request.
BATCH_LINES = 200
# Growth of the most bundles of a request with each that fits. Slow: a limit of a proxy stays, and a size that doubles
# would meet it in every other request.
GROWTH = 1.05
# Its multiples, without their integer parts, are spread evenly between 0 and 1.
GOLDEN_RATIO = 0.618


class DrainHooks(NamedTuple):
    """What the drain reports. No hook raises."""

    attested: Callable[[Members], None]
    registered: Callable[[Members], None]
    dead: Callable[[str, str], None]
    failed: Callable[[BaseException], None]


class HeldError(Exception):
    """The node answered, but has a fault with bundles. Others may be sent."""

    def __init__(self, fault: NodeError) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Queue(NamedTuple):
    """A spool, and the search among its bundles."""

    spool: Spool
    narrowing: Narrowing


class Sender:
    """Only the thread of the drain calls it."""

    def __init__(self, spools: Sequence[Spool], node: Node, hooks: DrainHooks) -> None:
        self._spools, self._node, self._hooks = spools, node, hooks
        # Failures in a row.
        self.failures = 0
        self._most: float = BATCH_LINES
        # Projects that were moved behind calls that wait.
        self._moved: Set[str] = set()
        self.postponed = Postponed(hooks.failed, spools[-1])

    def next_of(self, queue: Queue) -> Optional[Batch]:
        """The bundles of the next request, or None where none waits."""
        return queue.spool.next(queue.narrowing.most(self._most))

    def send_batch(self, queue: Queue, batch: Batch) -> None:
        """Sends a batch, and what it takes to find out that its one bundle is at fault, which is then set apart."""
        sent = self._one_request(batch.texts)
        try:
            self._most = self._send_where_it_fits(queue, batch, sent)
        except NodeError as error:
            if _asks_to_wait(error):
                raise
            if self.postponed.is_apart(sent[0]):
                # Another one of these is next.
                if queue.spool.waiting > 1:
                    self.postponed.move_apart(queue.spool, batch, sent[0])
                raise
            comparison = queue.narrowing.failed(len(sent))
            if comparison == 0:
                raise
            other = self._another_than(sent[0], queue.spool, comparison)
            if other is None:
                raise
            if not self._is_taken(other, queue.spool):
                # A request more than in other rounds; the pause behind it is longer.
                self.failures += 1
                raise
            self._send_or_set_apart(queue, batch, sent)
        self.failures = 0

    def _another_than(self, text: str, spool: Spool, comparison: int) -> Optional[str]:
        """Another bundle that waits, to compare with one that is alone in requests that fail.

        The next one keeps the order; where it is at fault too, those that follow may be as well: the places of further
        ones are far from each other. `comparison` is its number, from 1.
        """
        batch = spool.next(BATCH_LINES)
        texts = [*(batch.texts if batch is not None else []), *(head for one in self._spools for head in one.heads())]
        others = [other for other in texts if other != text and not self.postponed.is_apart(other)]
        return others[int((comparison - 1) * GOLDEN_RATIO % 1 * len(others))] if others else None

    def _is_taken(self, text: str, spool: Spool) -> bool:
        """Whether the node takes a bundle.

        It stays in its spool and is sent again in its turn, which makes no other certificate.
        """
        try:
            results = self._ask([text])
        except NodeError:
            return False
        return len(results) == 1 and self._fault_of(text, results[0], spool) is None

    def _send_or_set_apart(self, queue: Queue, batch: Batch, sent: Sequence[str]) -> None:
        """Sends the one bundle of a batch while the node takes others."""
        try:
            self._send(queue, batch, sent)
        except NodeError as error:
            if _asks_to_wait(error):
                raise
            self.postponed.set_apart(queue.spool, batch, Held(sent[0], 0, error))
            queue.narrowing.passed(1)

    def _send_where_it_fits(self, queue: Queue, batch: Batch, sent: Sequence[str]) -> float:
        """Gives up a bundle that is too large by itself. Returns the most bundles of the next request."""
        try:
            self._send(queue, batch, sent)
            return min(BATCH_LINES, self._most * GROWTH)
        except NodeError as error:
            # The node, or a proxy before it, would refuse the same request each time.
            if error.status != TOO_LARGE:
                raise
            if len(sent) > 1:
                return (len(sent) + 1) // 2
            self._give_up(queue.spool, batch, sent[0], error.code)
            batch.acknowledge(1)
            # The others were refused with it.
            return BATCH_LINES

    def _ask(self, sent: Sequence[str]) -> Sequence[LineResult]:
        return [self._node.register(sent[0])] if is_project(sent[0]) else self._node.attest(sent)

    def _send(self, queue: Queue, batch: Batch, sent: Sequence[str]) -> None:
        """A bundle of which the node cannot say whether it is attested is sent again, behind the others.

        Raises NodeError when the rest must be sent later, HeldError where that does not concern other bundles.
        """
        spool, narrowing = queue
        results = self._ask(sent)
        held: List[Held] = []
        # Bundles with an answer, and up to the last one that needs no further request.
        answered = done = 0
        try:
            for text, result in zip(sent, results):
                fault = self._fault_of(text, result, spool)
                if fault is None:
                    self._take(spool, batch, text, result)
                    done = answered + 1
                else:
                    held.append(Held(text, answered, fault))
                answered += 1
        finally:
            self.postponed.acknowledge(spool, batch, held, done)
            narrowing.passed(done)
        rest = next((one.fault for one in held if one.at >= done), None)
        if rest is not None:
            # The node may have a fault with all of them, and none with those behind them.
            is_theirs = all(_is_of_the_bundle(one.fault.status) for one in held)
            if done == 0 and self.failures > 0 and is_theirs and spool.waiting > len(sent):
                self.postponed.acknowledge(spool, batch, held, answered)
            raise HeldError(rest) if is_theirs else rest
        if answered < len(sent):
            raise NodeError("UNREACHABLE", "the answer ended before the last bundle")

    def _fault_of(self, text: str, result: LineResult, spool: Spool) -> Optional[NodeError]:
        """None for a result that stands."""
        if result.status != 200 and is_retryable(result.status):
            code = _code_of(result)
            message = f"the node cannot attest the bundle {sealed_hash(text)} now: {result.status} {code}"
            return NodeError(code, message, result.status)
        if _is_without_calls(text, result) and (self.postponed.has_call_of(text) or self._waits_elsewhere(spool)):
            message = f"the project {sealed_hash(text)} waits for a call that the node has not attested"
            return NodeError("ATTESTATION_MISSING", message, result.status)
        if result.status != 200 or text_of(get(result.body, _hash_name(text))) == sealed_hash(text):
            return None
        # What is before the node may answer for it.
        return NodeError("UNEXPECTED_ANSWER", "the answer does not name the hash of the bundle", result.status)

    def _take(self, spool: Spool, batch: Batch, text: str, result: LineResult) -> None:
        code = _code_of(result)
        if _is_without_calls(text, result):
            self._wait_for_calls(spool, batch, text, code)
            return
        self.postponed.discard(text)
        if result.status == 200:
            (self._hooks.registered if is_project(text) else self._hooks.attested)(result.body)
        else:
            self._give_up(spool, batch, text, code)

    def _waits_elsewhere(self, spool: Spool) -> bool:
        """Whether another spool may have the calls of a project, as when the disk was full for a time."""
        return any(other is not spool and other.waiting > 0 for other in self._spools)

    def _wait_for_calls(self, spool: Spool, batch: Batch, text: str, code: str) -> None:
        """The calls of a project may wait behind it, in a segment of another process: then it is moved there, once."""
        if spool.waiting > 1 and text not in self._moved:
            spool.put(text)
            self._moved.add(text)
            return
        self._moved.discard(text)
        self._give_up(spool, batch, text, code)

    def _one_request(self, texts: Sequence[str]) -> Sequence[str]:
        """The first bundles that go in one request.

        A project or one set apart goes by itself, else all before the next of these.
        """
        single = (at for at, text in enumerate(texts) if is_project(text) or self.postponed.is_apart(text))
        return texts[: max(1, next(single, len(texts)))]

    def _give_up(self, spool: Spool, batch: Batch, text: str, code: str) -> None:
        self.postponed.discard(text)
        try:
            spool.bury(text, code)
        except OSError as fault:
            # It stays where it is, and does not hold up what comes after it.
            batch.keep()
            self._hooks.failed(fault)
        self._hooks.dead(text, code)


def _code_of(result: LineResult) -> str:
    return text_of(get(result.body, "error")) or "UNEXPECTED_ANSWER"


def _is_without_calls(text: str, result: LineResult) -> bool:
    """Whether the node refused a project since it has not attested one of its calls."""
    return is_project(text) and _code_of(result) == "ATTESTATION_MISSING"


def _is_of_the_bundle(status: Optional[int]) -> bool:
    """Whether a fault says nothing about other bundles."""
    return status is not None and (status == INTERNAL_ERROR or not is_retryable(status))


def _asks_to_wait(error: NodeError) -> bool:
    """Whether an answer is about the time of a request, and says nothing of its bundles."""
    return error.status == TOO_MANY or error.retry_after > 0


def _hash_name(text: str) -> str:
    return "projectHash" if is_project(text) else "certificateHash"
