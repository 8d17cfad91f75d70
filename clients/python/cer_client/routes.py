"""The routes of model providers."""

from __future__ import annotations

from typing import Callable, Dict, Optional

from cer_client.folds import ChatFold, Fold, MessagesFold, ResponsesFold

# By the end of their path, how each streams.
_DIALECTS: Dict[str, Callable[[], Fold]] = {
    "/chat/completions": ChatFold,
    "/completions": ChatFold,
    "/responses": ResponsesFold,
    "/messages": MessagesFold,
    "/embeddings": ChatFold,
}
_PROVIDERS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
}


def fold_for(path: str) -> Optional[Callable[[], Fold]]:
    """The fold of a model provider's route; None for any other path."""
    return next((fold for ending, fold in _DIALECTS.items() if path.endswith(ending)), None)


def is_other(fold: Callable[[], Fold], body: Optional[str]) -> bool:
    """Chat and mail services have paths of Anthropic's dialect too; their messages name no model."""
    return fold is MessagesFold and body is not None and '"model"' not in body


def provider_at(host: str) -> str:
    """The provider by its host; the host itself where it is another one."""
    return _PROVIDERS.get(host, host)
