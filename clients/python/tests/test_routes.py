"""Which requests are those of models, and what their addresses state."""

import unittest

from cer_client.folds import ChatFold, CohereFold, GeminiFold, MessagesFold, OllamaFold, ResponsesFold
from cer_client.routes import fold_for, is_other, model_in, provider_at
from cer_client.sealing import parameters_of

ROUTES = {
    "/v1/chat/completions": ChatFold,
    "/v1/completions": ChatFold,
    "/v1/embeddings": ChatFold,
    "/v1/responses": ResponsesFold,
    "/v1/messages": MessagesFold,
    "/v1beta/models/gemini-2.5-flash:generateContent": GeminiFold,
    "/v1/projects/a/locations/b/publishers/google/models/gemini-2.5-flash:streamGenerateContent": GeminiFold,
    "/v1beta/models/gemini-embedding-001:embedContent": GeminiFold,
    "/v1beta/models/gemini-embedding-001:batchEmbedContents": GeminiFold,
    "/v2/chat": CohereFold,
    "/v2/embed": CohereFold,
    "/v2/rerank": CohereFold,
    "/api/chat": OllamaFold,
    "/api/generate": OllamaFold,
    "/api/embed": OllamaFold,
    "/api/embeddings": ChatFold,
    "/v1/chat": None,
    "/api/tags": None,
    "/v1beta/models/gemini-2.5-flash:countTokens": None,
}


class RoutesTest(unittest.TestCase):
    def test_routes_are_recognised_by_their_end(self) -> None:
        self.assertEqual({path: fold_for(path) for path in ROUTES}, ROUTES)

    def test_requests_to_shared_paths_name_a_model(self) -> None:
        other = '{"messages": []}'
        shared = {path for path, fold in ROUTES.items() if fold is not None and is_other(fold, other)}
        expected = {"/v1/messages", "/v2/chat", "/v2/embed", "/v2/rerank", "/api/chat", "/api/generate", "/api/embed"}
        self.assertEqual(shared, expected)
        for fold in (MessagesFold, CohereFold, OllamaFold):
            self.assertFalse(is_other(fold, '{"model": "a"}'))
            # A form or a stream, which cannot be read.
            self.assertEqual(is_other(fold, None), fold is not MessagesFold)

    def test_model_of_gemini_is_in_its_path(self) -> None:
        for path, model in (
            ("/v1beta/models/gemini-2.5-flash:generateContent", "gemini-2.5-flash"),
            ("/v1beta/tunedModels/a%2Fb:streamGenerateContent", "a%2Fb"),
        ):
            self.assertEqual(model_in(GeminiFold, path), model)
        self.assertIsNone(model_in(ChatFold, "/v1/models/a:b/chat/completions"))

    def test_providers_by_host(self) -> None:
        hosts = ("api.cohere.com", "generativelanguage.googleapis.com", "ollama.com", "models.test:8080")
        self.assertEqual([provider_at(host) for host in hosts], ["cohere", "google", "ollama", "models.test:8080"])


class ParametersTest(unittest.TestCase):
    def test_parameters_of_each_provider(self) -> None:
        sampling = {"temperature": 0.5, "maxTokens": 64, "topP": 0.9, "seed": 7}
        for request in (
            {"temperature": 0.5, "max_tokens": 64, "p": 0.9, "seed": 7},
            {"generationConfig": {"temperature": 0.5, "maxOutputTokens": 64, "topP": 0.9, "seed": 7}},
            {"options": {"temperature": 0.5, "num_predict": 64, "top_p": 0.9, "seed": 7}},
        ):
            self.assertEqual(parameters_of(request), sampling)

    def test_the_request_comes_before_what_it_holds(self) -> None:
        for request, found in (
            ({"temperature": 0.1, "options": {"temperature": 0.2, "seed": 7}}, {"temperature": 0.1, "seed": 7}),
            ({"options": [7], "generationConfig": "hot", "temperature": True}, {}),
        ):
            self.assertEqual(parameters_of(request), found)


if __name__ == "__main__":
    unittest.main()
