import OpenAI from 'openai';
import { certificates } from '@cer/client';

const cer = certificates({
  appId: 'travel-desk',
  onProject: ({ projectHash }) => console.log(projectHash),
});
const openai = cer.openai(new OpenAI());
const weather = cer.tool('weather', async (city) => ({ city, sky: 'clear' }));

await cer.run({ project: 'case-7' }, async () => {
  const { sky } = await weather('Lisbon');
  const messages = [{ role: 'user', content: `The sky over Lisbon is ${sky}. Where to in May?` }];
  const { choices } = await openai.chat.completions.create({ model: 'gpt-4.1', messages });
  console.log(choices[0].message.content);
});
await cer.close();
