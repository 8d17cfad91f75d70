import { addTraceProcessor, Agent, run } from '@openai/agents';
import { certificates } from '@cer/client';

const cer = certificates({
  appId: 'travel-desk',
  onProject: ({ projectHash }) => console.log(projectHash),
});
addTraceProcessor(cer.openaiAgents());

const agent = new Agent({ name: 'Travel desk', instructions: 'Name one city.', model: 'gpt-4.1' });
console.log((await run(agent, 'Where to in May?')).finalOutput);
await cer.close();
