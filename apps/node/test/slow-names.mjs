// Runs with the launch settings of the node, where no name server answers: prints "signed" when 50 signatures were made
// while eight look-ups of names were waiting.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';

const LOOK_UPS = 8;
const SIGNATURES = 50;

const silent = dgram.createSocket('udp4');
silent.bind(53, '127.0.0.1');
await once(silent, 'listening');
let ended = 0;
const asked = once(silent, 'message');
for (let index = 0; index < LOOK_UPS; index += 1) {
  dns.lookup(`slow-${index}.example`, () => {
    ended += 1;
  });
}
await asked;
const { privateKey } = generateKeyPairSync('ed25519');
for (let index = 0; index < SIGNATURES; index += 1) await promisify(sign)(null, Buffer.from([index]), privateKey);
console.log(ended === 0 ? 'signed' : 'a look-up ended before the signatures');
