// A program whose model calls are observed and spooled. It is killed at any moment: calls that it had printed to its
// file before that must reach the node. The model is a server in this process.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { certificates } from '@cer/client';

const { SPOOL, ACKNOWLEDGED } = process.env;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'answer', choices: [{ message: { role: 'assistant', content: 'an answer' } }] }));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/v1/chat/completions`;

const cer = certificates({ appId: 'torture', spoolDir: SPOOL });
const observed = cer.fetch();
for (let call = 0; ; call += 1) {
  const before = cer.stats();
  const body = JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content: `${process.pid} ${call}` }] });
  await (await observed(url, { method: 'POST', body })).text();
  // The line is in the spool before the program has the last byte of the answer.
  appendFileSync(ACKNOWLEDGED, `${process.pid}\n`);
  if (before.dropped !== undefined && cer.stats().dropped > before.dropped) throw new Error('a call was dropped');
  await new Promise((resolve) => setTimeout(resolve, 100));
}
