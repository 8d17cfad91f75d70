"""Streams of Gemini's `:streamGenerateContent`."""

from __future__ import annotations

from io import StringIO
from typing import Dict, List

from cer_client.folds.fold import add_delta, keep_reasons, object_in, place_of, settled, state
from cer_verify import Members, get

# Members of a candidate whose lists arrive in parts. Others are stated again by chunks.
_LISTS = ("citationMetadata", "logprobsResult")


class GeminiFold:
    """No event ends these streams: every candidate has its reason to finish."""

    def __init__(self) -> None:
        self.end = "open"
        self._head: Members = {}
        self._candidates: Dict[object, Members] = {}
        self._has_reasons = True

    def push(self, data: str) -> None:
        chunk = object_in(data) if self.end == "open" else None
        if chunk is None:
            return
        candidates = chunk.pop("candidates", None)
        self._head.update(chunk)
        if chunk.get("error") is not None:
            self.end = "failed"
        for candidate in candidates if isinstance(candidates, list) else []:
            if isinstance(candidate, dict):
                index = candidate.get("index")
                known = self._candidates.setdefault(place_of(0.0 if index is None else index), {})
                _add_candidate(known, candidate)

    @property
    def is_whole(self) -> bool:
        if not self._has_reasons:
            return False
        # A refused prompt has no candidates.
        if not self._candidates:
            return isinstance(get(self._head, "promptFeedback", "blockReason"), str)
        return all(isinstance(candidate.get("finishReason"), str) for candidate in self._candidates.values())

    def forget(self) -> None:
        self._head = {"promptFeedback": self._head.get("promptFeedback")}
        self._has_reasons = keep_reasons(self._candidates, "finishReason") and self._has_reasons

    def answer(self) -> Members:
        candidates = {"candidates": list(self._candidates.values())} if self._candidates else {}
        return settled({**self._head, **candidates})


def _add_candidate(known: Members, candidate: Members) -> None:
    for name, value in candidate.items():
        if name == "content" and isinstance(value, dict):
            _add_content(known, value)
        elif name in _LISTS:
            add_delta(known, {name: value})
        else:
            state(known, {name: value})


def _add_content(candidate: Members, added: Members) -> None:
    stated = candidate.get("content")
    content: Members = stated if isinstance(stated, dict) else {}
    candidate["content"] = content
    known, new = content.get("parts"), added.get("parts")
    parts: List[object] = known if isinstance(known, list) else []
    content.update(added)
    content["parts"] = parts
    for part in new if isinstance(new, list) else []:
        _add_part(parts, part)


def _add_part(parts: List[object], part: object) -> None:
    """Adds text to the last part where both are nothing but text: one with a signature is sent back as it arrived."""
    last = parts[-1] if parts else None
    if isinstance(last, dict) and isinstance(part, dict) and _is_text(last) and _is_text(part) and _same(last, part):
        add_delta(last, {"text": part["text"]})
    else:
        parts.append(part)


def _is_text(part: Members) -> bool:
    return isinstance(part.get("text"), (str, StringIO)) and all(name in ("text", "thought") for name in part)


def _same(last: Members, part: Members) -> bool:
    """Whether both are thoughts, or none is. As text, in which true is not 1 and null is not absent."""
    return repr(last.get("thought", ...)) == repr(part.get("thought", ...))
