from cer_client import Certificates
from google import genai

certified = []
with Certificates("travel-desk", on_certified=certified.append) as cer:
    gemini = genai.Client(http_options={"client_args": {"transport": cer.transport()}})
    stream = gemini.models.generate_content_stream(model="gemini-2.5-flash", contents="Where to in May?")
    for chunk in stream:
        print(chunk.text or "", end="", flush=True)
    print()
for call in certified:
    print(call.certificate_hash)
