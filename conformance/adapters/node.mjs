// The library in Node.js, and the attestation node: `node adapters/node.mjs verify|seal|log FILE...` or `serve`.
import { readFileSync } from 'node:fs';
import { logCase, sealCase, verifyCase } from './observe.mjs';

const [command, ...files] = process.argv.slice(2);
if (command === 'serve') {
  const { serveNode } = await import('./serve-node.mjs');
  await serveNode();
} else {
  const answer = { verify: verifyCase, seal: sealCase, log: logCase }[command];
  if (answer === undefined) process.exit(64);
  for (const file of files) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(readFileSync(file, 'utf8'))))}\n`);
  }
}
