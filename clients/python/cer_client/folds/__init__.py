"""The unstreamed answer of each provider's protocol, from the events of a stream."""

from cer_client.folds.anthropic_messages import MessagesFold
from cer_client.folds.cohere_chat import CohereFold
from cer_client.folds.fold import Fold, object_in
from cer_client.folds.google_gemini import GeminiFold
from cer_client.folds.ollama import OllamaFold
from cer_client.folds.openai_chat import ChatFold
from cer_client.folds.openai_responses import ResponsesFold

__all__ = [
    "ChatFold",
    "CohereFold",
    "Fold",
    "GeminiFold",
    "MessagesFold",
    "OllamaFold",
    "ResponsesFold",
    "object_in",
]
