// The library in Node.js, the attestation node, the bridge, the dashboard and the engine of sketches: `node adapters/node.mjs COMMAND
// FILE...`, with a command of the protocol in ../README.md.
import { readFileSync } from 'node:fs';
import { logCase, pictureCase, sealCase, timestampCase, verifyCase } from './observe.mjs';

const [command, ...files] = process.argv.slice(2);
if (command === 'serve') {
  const { serveNode } = await import('./serve-node.mjs');
  await serveNode();
} else if (command === 'serve-control-plane') {
  const { serveDashboard } = await import('./serve-dashboard.mjs');
  await serveDashboard();
} else {
  const answer = {
    ...{ verify: verifyCase, picture: pictureCase, seal: sealCase, log: logCase, timestamp: timestampCase },
    span: async (file) => (await import('./observe-span.mjs')).spanCase(file),
    render: async (file) => (await import('./observe-render.mjs')).renderCase(file),
  }[command];
  if (answer === undefined) process.exit(64);
  for (const file of files) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(readFileSync(file, 'utf8'))))}\n`);
  }
}
