// A program that calls a model in a loop until it is killed. It prints the number of a call after the last byte of its
// answer. MODEL_URL, FIRST and the variables of the client say where and from which number.
import { writeSync } from 'node:fs';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'killed' });
const fetch = cer.fetch();
for (let call = Number(process.env.FIRST); ; call += 1) {
  const body = JSON.stringify({ model: 'example-1', messages: [{ role: 'user', content: `call ${call}` }] });
  const response = await fetch(process.env.MODEL_URL, { method: 'POST', body });
  await response.text();
  writeSync(1, `${call}\n`);
}
