"""The certificate of an answer that a program has. See docs/clients.md, "The certificate of an answer"."""

from __future__ import annotations

from typing import List, Optional, Tuple

from cer_client.certified_answers import CertifiedAnswers, SealedCall
from cer_client.connections import is_response
from cer_client.executions import Json, profile_of
from cer_client.sealing import is_id
from cer_verify import ABSENT, CanonicalError, get, hash_bytes, hashed_bytes, text_of

# Members in which SDKs state the provider's id of a request: on an answer, and on an error or a raw response.
_REQUEST_IDS = ("_request_id", "request_id")
# The one of them that no answer has by itself.
_STATED_BY_SDKS = ("_request_id",)
# Members of an answer that hold the provider's id of it: as sent, and as Gemini's SDK names it.
_ANSWER_IDS = ("id", "responseId", "response_id")
# Members of errors, streams and raw responses that hold the response.
_RESPONSES = ("response", "http_response")
# Members of the events of a stream that hold the answer which they begin or end, by Anthropic and OpenAI.
_HOLDERS = ("message", "response")
# Members that Gemini's SDK adds to an answer.
_ADDED = ("sdk_http_response", "automatic_function_calling_history", "parsed")


def certificate_of(answers: CertifiedAnswers, protocol: str, answer: object) -> Optional[SealedCall]:
    """The certificate of a response, by itself; of another answer by its names, the safest first; or of an id.

    `protocol` is the one that content is hashed under. Returns None for an answer that is unknown, not read to its
    end, or cannot be told from another. Raises what members of the answer raise.
    """
    if isinstance(answer, str):
        return answers.find(answer)
    for response in (answer, *_members(answer, _RESPONSES)):
        observed = answers.responses.get(response) if is_response(response) else None
        if observed is not None:
            return observed.certificate
    stated = None if isinstance(answer, dict) else _id_in(answer, _STATED_BY_SDKS)
    if stated is not None and not answers.is_known(stated):
        # The request has no certificate, and another answer may have the same content or id.
        return None
    names = (_id_in(answer, _REQUEST_IDS), content_hash_of(answer, protocol), _any_id_in(answer))
    found = (answers.find(name) for name in names if name)
    return next((call for call in found if call is not None), None)


def answer_id_in(output: object) -> Optional[str]:
    """The id that the provider assigned to an answer."""
    return _id_in(output, _ANSWER_IDS)


def _any_id_in(answer: object) -> Optional[str]:
    holders = (answer, *_members(answer, _HOLDERS))
    return next((found for found in map(answer_id_in, holders) if found is not None), None)


def content_hash_of(answer: object, protocol: str) -> Optional[str]:
    """The hash of a JSON object as sent; None of one without. Under 1.3.1 only its salt would give one."""
    content = answer if isinstance(answer, dict) else _dump_of(answer)
    if content is None or protocol == "1.3.1":
        return None
    try:
        return hash_bytes(hashed_bytes(content, profile_of(protocol)))
    except CanonicalError:
        return None


def _dump_of(answer: object) -> Optional[Json]:
    """The JSON of a model of pydantic. Where the SDK changed or left out members, it is not the answer as sent."""
    dump = None if isinstance(answer, type) else getattr(answer, "model_dump", None)
    if not callable(dump):
        return None
    try:
        content: object = dump(mode="json", by_alias=True, exclude_unset=True, exclude=set(_ADDED), warnings=False)
    except Exception:
        # Another class with a method of this name.
        return None
    return content if isinstance(content, dict) else None


def _id_in(value: object, names: Tuple[str, ...]) -> Optional[str]:
    return next((text_of(found) for found in _members(value, names) if is_id(found)), None)


def _members(value: object, names: Tuple[str, ...]) -> List[object]:
    """Those of an object or a dict that are there."""
    if isinstance(value, type):
        return []
    found = (get(value, name) if isinstance(value, dict) else getattr(value, name, ABSENT) for name in names)
    return [member for member in found if member is not ABSENT]
