// Nodes with many real records, sealed and signed like those of certify and inserted directly into the store.
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '@cer/cer-core';
import { attestBundle } from '@cer/cer-core/attest';
import { sealExecution } from '@cer/cer-core/seal';
import { createKeyFile, openKeyFile } from '@cer/keys/testing/key-file';
import { launchArguments } from '../scripts/services/launch.mjs';
import { openStore } from '../apps/node/dist/store/index.js';
import { somePort } from './some-port.mjs';

/** Concurrent inserts, which is also the number of records per commit. */
const IN_FLIGHT = 64;
const NODE_MAIN = `${import.meta.dirname}/../apps/node/dist/main.js`;
const NODE_ID = 'scale-node';
const APPS = 50;
const FIRST_TIME = Date.parse('2026-01-02T00:00:00.000Z');

/** Creates records like those of certify: sealed, and signed twice. */
export function recordMaker(attestor, tenantId, from) {
  let made = from;
  return async () => {
    const index = made++;
    const executionId = randomUUID();
    const attestedAt = new Date(FIRST_TIME + index * 10).toISOString();
    const appId = `app-${index % APPS}`;
    const [provider, model] = [`provider-${index % 5}`, `model-${index % 40}`];
    const signals = [{ type: 'policy.check', source: 'scale', payload: { rule: 'no-secrets', passed: true, index } }];
    const sealed = sealExecution(
      {
        ...{ protocolVersion: '1.3.0', executionId, provider, model, appId, signals },
        input: 'What does a certificate prove, and to whom?',
        output: 'That this content was described, at this time, by this node.',
        parameters: { temperature: 0.2, maxTokens: 512, topP: 0.95, seed: index },
      },
      { createdAt: attestedAt, timestamp: null, executionId, saltsFor: () => [] },
    );
    const attestationId = randomUUID();
    const meta = await attestBundle(sealed, attestor, { attestationId, attestedAt });
    return {
      ...{
        tenantId,
        certificateHash: sealed.certificateHash,
        kind: 'full',
        executionId,
        appId,
        provider,
        model,
        reviewedHash: null,
        attestationId,
      },
      ...{ bundleType: 'cer.ai.execution.v1', protocolVersion: '1.3.0', attestedAt, kid: attestor.signer.kid },
      ...{ requestId: randomUUID(), bundleJson: JSON.stringify(sealed.bundle), metaJson: JSON.stringify(meta) },
      ...{
        publicCerJson: null,
        resealedCertificateHash: null,
        visibility: 'visible',
        createdAt: attestedAt,
        timestamp: attestedAt,
      },
      commitmentSecretId: null,
    };
  };
}

const keyFiles = (home) => ({
  KEYS_FILE: join(home, 'keys.json'),
  COMMITMENT_SECRET_FILE: join(home, 'secrets.json'),
});

/**
 * A node's folder with its database, opened as a store: an existing one, or a new, filled one.
 * @returns {Promise<{name, home, path, store, tenantId, key, hashes: string[], rows: number, make}>}
 */
export async function openPlace(folder, name, rows) {
  const home = join(folder, name);
  const path = join(home, 'node.sqlite');
  const kept = join(home, 'place.json');
  const store = await openStore({ databaseUrl: `sqlite:${path}`, queueLimit: 10_000 });
  if (existsSync(kept)) {
    const { signer } = openKeyFile(join(home, 'keys.json'));
    const place = JSON.parse(readFileSync(kept, 'utf8'));
    return { ...place, name, home, path, store, make: recordMaker(attestorOf(signer), place.tenantId, place.rows) };
  }
  const { signer } = createKeyFile(join(home, 'keys.json'), { nodeId: NODE_ID, now: new Date('2026-01-01T00:00:00Z') });
  execFileSync(process.execPath, [NODE_MAIN, 'init'], { env: { ...process.env, ...keyFiles(home) }, stdio: 'ignore' });
  const { tenantId } = await store.tenants.createTenant('scale');
  const key = `cer_live_${randomBytes(32).toString('base64url')}`;
  const keyHash = createHash('sha256').update(key).digest('hex');
  await store.tenants.createApiKey({ tenantId, keyHash, prefix: 'cer_live_scale', scopes: ['audit'] });
  const place = { name, home, path, store, tenantId, key, hashes: [], rows: 0 };
  await fill(Object.assign(place, { make: recordMaker(attestorOf(signer), tenantId, 0) }), rows);
  return place;
}

export const attestorOf = (signer) => ({ signer, nodeId: NODE_ID, nodeRuntimeHash: sha256('scale') });

/** Closes the store and saves the state for a later run. */
export async function closePlace({ home, store, tenantId, key, hashes, rows }) {
  await store.close();
  writeFileSync(join(home, 'place.json'), JSON.stringify({ tenantId, key, hashes, rows }), { mode: 0o600 });
}

export const made = (place, count) => Promise.all(Array.from({ length: count }, () => place.make()));

/** Inserts records and remembers some hashes for later lookups. */
export async function insert(place, records) {
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let record = records[next++]; record !== undefined; record = records[next++]) {
        if (!(await place.store.records.recordOnce(record)).recorded) throw new Error('must be recorded');
      }
    }),
  );
  for (let index = 0; index < records.length; index += 20) place.hashes.push(records[index].certificateHash);
  place.rows += records.length;
}

async function fill(place, rows) {
  const startedAt = performance.now();
  for (let done = 0; done < rows; done += 5000) {
    await insert(place, await made(place, Math.min(5000, rows - done)));
    if (done % 100_000 === 95_000) {
      console.log(`  ${done + 5000} records, ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
  }
}

/** Starts a node on the folder. */
export async function startNode(place) {
  const port = somePort();
  const child = spawn(process.execPath, launchArguments(`${import.meta.dirname}/..`, 'node'), {
    env: {
      ...process.env,
      ...{ PORT: String(port), LOG_LEVEL: 'warn', DATABASE_URL: `sqlite:${place.path}` },
      ...keyFiles(place.home),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (
      await fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { child, url };
    await sleep(100);
  }
  throw new Error('the node did not start');
}
