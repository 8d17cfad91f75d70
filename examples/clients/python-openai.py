import openai
from cer_client import Certificates

certified = []
with Certificates("travel-desk", on_certified=certified.append) as cer:
    client = openai.OpenAI(http_client=openai.DefaultHttpxClient(transport=cer.transport()))
    stream = client.chat.completions.create(
        model="gpt-4.1",
        messages=[{"role": "user", "content": "Where to in May?"}],
        stream=True,
    )
    for chunk in stream:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
    print()
for call in certified:
    print(call.certificate_hash)
