from cer_client import Certificates
from langchain_core.tools import tool


@tool
def weather(city: str) -> str:
    """The sky over a city."""
    return f"clear over {city}"


with Certificates("travel-desk", on_certified=lambda call: print(call.certificate_hash)) as cer:
    # Models take the same option: ChatOpenAI(callbacks=[cer.langchain()]).
    print(weather.invoke({"city": "Lisbon"}, {"callbacks": [cer.langchain()]}))
