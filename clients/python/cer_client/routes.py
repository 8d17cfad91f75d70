"""The routes of model providers."""

from __future__ import annotations

import re
from typing import Callable, Dict, Optional

from cer_client.folds import ChatFold, CohereFold, Fold, GeminiFold, MessagesFold, OllamaFold, ResponsesFold

# By the end of their path, how each streams.
_DIALECTS: Dict[str, Callable[[], Fold]] = {
    "/chat/completions": ChatFold,
    "/completions": ChatFold,
    "/responses": ResponsesFold,
    "/messages": MessagesFold,
    "/embeddings": ChatFold,
    ":generateContent": GeminiFold,
    ":streamGenerateContent": GeminiFold,
    ":embedContent": GeminiFold,
    ":batchEmbedContents": GeminiFold,
    "/v2/chat": CohereFold,
    "/v2/embed": CohereFold,
    "/v2/rerank": CohereFold,
    "/api/chat": OllamaFold,
    "/api/generate": OllamaFold,
    "/api/embed": OllamaFold,
}
# Folds of routes whose paths other services have too, such as those of chats and mail: their requests name no model.
_SHARED = (MessagesFold, CohereFold, OllamaFold)
_PROVIDERS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.cohere.com": "cohere",
    "generativelanguage.googleapis.com": "google",
    "ollama.com": "ollama",
}


def fold_for(path: str) -> Optional[Callable[[], Fold]]:
    """The fold of a model provider's route; None for any other path."""
    return next((fold for ending, fold in _DIALECTS.items() if path.endswith(ending)), None)


def is_other(fold: Callable[[], Fold], body: Optional[str]) -> bool:
    """Whether a request to a path with this fold is one to another service."""
    if fold not in _SHARED:
        return False
    # A form or a stream: Anthropic's SDK sends a message as text.
    return fold is not MessagesFold if body is None else '"model"' not in body


def is_answer_of_other(fold: Callable[[], Fold], status: int, content_type: str) -> bool:
    """Whether an answer shows that the request was one to another service.

    Chats of programs have Ollama's paths, and its answers are JSON or lines of it.
    """
    if fold is not OllamaFold or not 200 <= status < 300:
        return False
    return re.match(r"application/(x-nd)?json\b", content_type, re.IGNORECASE) is None


def model_in(fold: Callable[[], Fold], path: str) -> Optional[str]:
    """The model that a path names, as in `.../models/MODEL:method`; None where the body names it."""
    return path.rpartition("/")[2].rpartition(":")[0] if fold is GeminiFold else None


def provider_at(host: str) -> str:
    """The provider by its host; the host itself where it is another one."""
    return _PROVIDERS.get(host, host)
