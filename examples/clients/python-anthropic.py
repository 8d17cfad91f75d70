import asyncio

import anthropic
from cer_client import Certificates


async def main() -> None:
    with Certificates("travel-desk", on_certified=lambda call: print(call.certificate_hash)) as cer:
        http_client = anthropic.DefaultAsyncHttpxClient(transport=cer.async_transport())
        async with anthropic.AsyncAnthropic(http_client=http_client) as client:
            messages = [{"role": "user", "content": "Where to in May?"}]
            async with client.messages.stream(model="claude-sonnet-5-5", max_tokens=1024, messages=messages) as stream:
                print(await stream.get_final_text())


asyncio.run(main())
