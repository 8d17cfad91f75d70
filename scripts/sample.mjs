// npm run sample
// Seals, verifies and tampers with a certificate, without services or a network.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ensureBuild } from './setup/ensure-build.mjs';
import { ensurePackages } from './setup/ensure-dependencies.mjs';
import { ensureNode } from './setup/ensure-node.mjs';
import { readOptions } from './setup/options.mjs';
import { runSteps, SetupError } from './setup/setup-error.mjs';

const root = join(import.meta.dirname, '..');

await runSteps(async () => {
  ensureNode();
  readOptions(import.meta.filename);
  await ensurePackages({ root });
  await ensureBuild({ root, workspaces: ['@cer/cli'] });
  showSample(console.log);
});

/** Prints the results and what to try next; the files stay in `.data/sample`. Throws a SetupError when a step fails. */
function showSample(log) {
  const folder = join(root, '.data', 'sample');
  const samples = join(root, 'examples', 'certificates');
  mkdirSync(folder, { recursive: true });
  const cer = (...args) => {
    const bin = join(root, 'apps', 'cli', 'bin', 'cer.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const expect = (what, result, status) => {
    if (result.status === status) return;
    throw new SetupError(`${what} ended with exit code ${result.status} instead of ${status}.`, result.stderr);
  };
  const own = (name) => join(folder, name);
  const shown = (path) => relative(process.cwd(), path);
  const keys = own('keys.json');
  for (const name of ['keys.json', 'certified.json']) copyFileSync(join(samples, name), own(name));

  const sealed = cer('seal', join(samples, 'execution.json'));
  expect('Sealing', sealed, 0);
  writeFileSync(own('sealed.json'), sealed.stdout);
  const sealedCheck = cer('verify', own('sealed.json'));
  expect('Verifying the sealed certificate', sealedCheck, 0);

  const signedCheck = cer('verify', own('certified.json'), '--keys', keys);
  expect('Verifying the signed certificate', signedCheck, 0);

  const original = readFileSync(own('certified.json'), 'utf8');
  writeFileSync(own('tampered.json'), original.replace('"model": "example-chat-1"', '"model": "example-chat-2"'));
  const tampered = cer('verify', own('tampered.json'), '--keys', keys);
  expect('Verifying the tampered certificate', tampered, 1);
  const { findings } = JSON.parse(tampered.stderr);
  const [finding] = findings;

  const firstLine = ({ stdout }) => stdout.split('\n', 1)[0];
  log('');
  log(`1. Sealed a made-up model call        ${shown(own('sealed.json'))}`);
  log(`   and verified it, offline:          ${firstLine(sealedCheck)}`);
  log(`2. Verified one that a node signed    ${shown(own('certified.json'))}`);
  log(`   with the keys of that node:        ${firstLine(signedCheck)}`);
  log(`3. Changed one character in a copy    ${shown(own('tampered.json'))}`);
  log(`   (snapshot.model) and verified it:  ${firstLine(tampered)}`);
  log(`   ${finding.member}: ${finding.detail}`);
  log(`     expected  ${finding.expected}`);
  log(`     computed  ${finding.computed}`);
  log('');
  log('Try next:');
  log(`  npx cer verify ${shown(own('certified.json'))} --keys ${shown(keys)}`);
  log(`  npx cer verify ${shown(own('tampered.json'))} --keys ${shown(keys)}`);
  log('  npx cer help');
  log('  docs/verify-by-hand.md: the same with jq, sha256sum and openssl');
}
