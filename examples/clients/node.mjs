import { createNodeClient } from '@cer/client/node-client';

const node = createNodeClient({ nodeUrl: process.env.CER_NODE_URL, apiKey: process.env.CER_API_KEY });

const call = { provider: 'local', model: 'gpt-4.1', input: 'Where to in May?', output: 'Lisbon' };
const { cer, certificateHash } = await node.certify(call);
const { status } = await node.verify(cer);
console.log(`${call.output}: ${status}\n${certificateHash}`);
