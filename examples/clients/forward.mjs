import { createNodeClient } from '@cer/client/node-client';
import { nodeTransport } from '@cer/client/node-transport';

const transport = nodeTransport({ maxConnections: 16 });
const { CER_NODE_URL: nodeUrl, CER_API_KEY: apiKey } = process.env;
const node = createNodeClient({ nodeUrl, apiKey, transport, retries: 0 });

const call = { provider: 'local', model: 'gpt-4.1', input: 'Where to in May?', output: 'Lisbon' };
for await (const { status, body } of node.askLines('certifyBatch', [JSON.stringify(call)])) {
  console.log(`${call.output}: ${status}\n${body.certificateHash}`);
}
transport.close();
