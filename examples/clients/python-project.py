import openai
from cer_client import Certificates

with Certificates("travel-desk", on_project=lambda project: print(project.project_hash)) as cer:
    client = openai.OpenAI(http_client=openai.DefaultHttpxClient(transport=cer.transport()))

    @cer.tool
    def weather(city: str) -> str:
        return f"clear over {city}"

    with cer.run("case-7"):
        messages = [{"role": "user", "content": f"The sky is {weather('Lisbon')}. Where to in May?"}]
        answer = client.chat.completions.create(model="gpt-4.1", messages=messages)
        print(answer.choices[0].message.content)
