import { existsSync, readFileSync } from 'node:fs';
import { nodeFiles, nodeLog } from './catalogue.mjs';
import { writePrivately } from './data-folder.mjs';
import { commandsOf } from './demo.mjs';

/**
 * Begins the node's log and a witness on this machine, at the first start, and writes the policy that names both. Such
 * a witness is the operator's own: it shows how proofs look, and makes nothing independent.
 * @returns {Promise<string[]>} the keys of both logs
 */
export async function witnessedLog({ root, path, urls }) {
  const node = commandsOf('node', { root, env: { ...nodeFiles(path), ...nodeLog({ urls, path }) } });
  const logLines = (await node(['log', 'init'])).split('\n');
  const keyFile = path('witness', 'vkey');
  if (!existsSync(keyFile)) {
    const witness = commandsOf('witness', { root, env: {} });
    const name = `${new URL(urls.witness).host}/own`;
    const vkey = await witness(['init', '--name', name, '--db', path('witness', 'witness.sqlite')]);
    writePrivately(keyFile, `${vkey}\n`);
  }
  const vkey = readFileSync(keyFile, 'utf8').trim();
  const lines = [...logLines, `witness operators-own ${vkey} ${urls.witness}`, 'quorum operators-own'];
  writePrivately(path('log-policy.txt'), `${lines.join('\n')}\n`);
  return logLines.map((line) => line.slice('log '.length));
}
