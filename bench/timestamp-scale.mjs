// node bench/timestamp-scale.mjs [--rows 100000] (npm run timestamp-scale -w apps/node)
// Timestamps in batches: requests to the authority, cost per certificate, and verification of every path.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { parseTsaRoots, verifyTimestampToken } from '@cer/timestamps';
import { leafHash, verifyInclusion } from '@cer/tlog/merkle';
import { createOpensslTsa, serveTsa } from '@cer/timestamps/testing';
import { numberOf, readOptions } from '../scripts/setup/options.mjs';
import { median } from './measure.mjs';
import { closePlace, openPlace, startNode } from './scale-places.mjs';

const { values } = readOptions(import.meta.filename, { options: { rows: { type: 'string', default: '100000' } } });
const rows = numberOf(values, 'rows', 1);
const folder = mkdtempSync(join(tmpdir(), 'cer-timestamp-scale-'));
const tsa = createOpensslTsa();
const served = await serveTsa((query) => tsa.reply(query));

/** Certifies executions one at a time until stopped. @returns the duration of each in milliseconds */
function certifying(url, key) {
  let goesOn = true;
  const times = [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const work = (async () => {
    while (goesOn) {
      const body = JSON.stringify({ executionId: randomUUID(), provider: 'p', model: 'm', input: 'i', output: 'o' });
      const before = performance.now();
      const answer = await fetch(`${url}/v1/cer/ai/certify`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`certify: ${answer.status}`);
      await answer.arrayBuffer();
      times.push(performance.now() - before);
      await sleep(20);
    }
  })();
  return async () => {
    goesOn = false;
    await work;
    return times.sort((a, b) => a - b);
  };
}

const shown = (times) =>
  `median ${median(times).toFixed(1)} ms, 99 of 100 within ${times[Math.floor(times.length * 0.99)].toFixed(1)} ms`;

/** Verifies every distinct token, also with OpenSSL, and every record's path to the imprint of its token. */
async function verifyAll(database) {
  const imprints = new Map();
  const roots = parseTsaRoots(tsa.rootPem);
  const imprintOf = async (token) => {
    const known = imprints.get(token);
    if (known !== undefined) return known;
    const bytes = new Uint8Array(Buffer.from(token, 'base64'));
    const outcome = await verifyTimestampToken(bytes, { roots, isImprint: () => true });
    if (outcome.status !== 'verified') throw new Error(`a token is ${outcome.status}`);
    await tsa.accepts(bytes, outcome.imprint);
    imprints.set(token, outcome.imprint);
    return outcome.imprint;
  };
  const found = { paths: 0, longest: 0, bytes: 0 };
  for (const { meta_json: metaJson } of database.prepare('select meta_json from records').iterate()) {
    const { attestation, timestamps } = JSON.parse(metaJson);
    const [{ token, inclusion }] = timestamps;
    const path = inclusion.path.map((hash) => new Uint8Array(Buffer.from(hash.slice('sha256:'.length), 'hex')));
    const leaf = timestampDigest(timestampedText(attestation.receipt, attestation.signature));
    if (!verifyInclusion(leafHash(leaf), { ...inclusion, path }, await imprintOf(token)))
      throw new Error('a path is not valid');
    found.paths += 1;
    found.longest = Math.max(found.longest, path.length);
    found.bytes += JSON.stringify(timestamps).length + token.length;
  }
  return { ...found, tokens: imprints.size };
}

try {
  console.log(`making ${rows} certificates`);
  const place = await openPlace(folder, 'timestamped', rows);
  const key = `cer_live_${randomBytes(32).toString('base64url')}`;
  const keyHash = createHash('sha256').update(key).digest('hex');
  const { tenantId } = place;
  await place.store.tenants.createApiKey({ tenantId, keyHash, prefix: 'cer_live_time', scopes: ['certify'] });
  await closePlace(place);

  const idle = await startNode(place);
  const stopIdle = certifying(idle.url, key);
  await sleep(3000);
  const idleTimes = await stopIdle();
  idle.child.kill('SIGTERM');
  await new Promise((resolve) => idle.child.once('exit', resolve));

  const rootsFile = join(folder, 'roots.pem');
  writeFileSync(rootsFile, tsa.rootPem);
  Object.assign(process.env, { TSA_URLS: served.url, TSA_ROOTS_FILE: rootsFile, TSA_MODE: 'batch' });
  const database = new Sqlite(place.path, { readonly: true });
  const untimestamped = () => database.prepare('select count(*) as n from records where stamped_at is null').get().n;
  const startedAt = performance.now();
  const { child, url } = await startNode(place);
  const stop = certifying(url, key);
  let caughtUpAt = null;
  while (caughtUpAt === null) {
    await sleep(250);
    // Records certified during a run wait for the next interval.
    if (untimestamped() < Math.min(rows / 100, 1000)) caughtUpAt = performance.now();
  }
  const times = await stop();
  while (untimestamped() > 0) await sleep(250);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));

  const seconds = (caughtUpAt - startedAt) / 1000;
  const verifiedFrom = performance.now();
  const { paths, longest, bytes, tokens } = await verifyAll(database);
  const verifySeconds = (performance.now() - verifiedFrom) / 1000;
  database.close();
  console.log(`certificates                  ${paths}`);
  console.log(`calls of the authority        ${served.calls}, ${tokens} different tokens stored`);
  console.log(`valid paths                   ${paths} of ${paths}, the longest has ${longest} hashes`);
  console.log(
    `time per timestamp            ${((seconds * 1e6) / rows).toFixed(0)} us (${seconds.toFixed(1)} s in all)`,
  );
  console.log(`space in the database         ${Math.round(bytes / paths)} bytes per certificate`);
  console.log(`calls for 1000 certificates   ${((served.calls * 1000) / paths).toFixed(2)}`);
  console.log(`check of a path               ${((verifySeconds * 1e6) / paths).toFixed(0)} us, its token read once`);
  console.log(`certify, none pending         ${shown(idleTimes)}`);
  console.log(`certify, while timestamping   ${shown(times)}`);
  console.log(`load of the machine           ${loadavg()[0].toFixed(1)}`);
} finally {
  await served.close();
  tsa.remove();
  rmSync(folder, { recursive: true, force: true });
}
