// Mixed load. Every answer is checked; anything but the expected status is an error.
import { randomFrom, weighted } from '../torture/random.mjs';

const REMEMBERED = 500;
const BRIDGE_BATCH = 5;
const TIMEOUT_MS = 120_000;
const SKETCH = `function setup() {
  background(240);
  for (let i = 0; i < 300; i++) { fill((i * 37) % 255, (i * 91) % 255, 200); circle((i * 173) % width, (i * 311) % height, 40 + (i % 160)); }
}`;

/** Shares of the requests, in per cent. */
const MIX = [
  [50, 'certify'],
  [14, 'verify'],
  [20, 'lookup'],
  [10, 'list'],
  [5.5, 'ingest'],
  [0.5, 'render'],
];
export const KINDS = MIX.map(([, kind]) => kind);

/**
 * @param {{node: {url: string}, bridge: {url: string}, renderer?: object, apiKey: string}} services
 * @param {number} seed
 */
export function createLoad({ node, bridge, renderer, apiKey }, seed) {
  const random = randomFrom(seed);
  const certified = [];
  let count = 0;
  let latencies = emptyLatencies();
  /** Number of errors by reason. */
  const errors = new Map();
  let errorCount = 0;
  let picture = null;
  const mix = renderer === undefined ? MIX.filter(([, kind]) => kind !== 'render') : MIX;

  const ask = async (url, { method = 'GET', body, key = true, accept } = {}) => {
    const answer = await fetch(url, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(accept !== undefined && { accept }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status} ${/"message":"[^"]*"/.exec(text)?.[0] ?? ''}`);
    return text;
  };
  const execution = () => {
    count += 1;
    return {
      executionId: `soak-${seed}-${count}`,
      provider: 'example',
      model: 'example-1',
      input: 'What does a certificate prove, and to whom? '.repeat(12),
      output: 'That this content was described, at this time, by this node. '.repeat(6),
      parameters: { temperature: 0.2, maxTokens: 512, topP: 0.95, seed: 42 },
    };
  };
  const known = () => certified[Math.floor(random() * certified.length)];
  const expect = (isTrue, fault) => {
    if (!isTrue) throw new Error(fault);
  };
  const work = {
    certify: async () => {
      const text = await ask(`${node.url}/v1/cer/ai/certify`, { method: 'POST', body: execution() });
      const { certificateHash, cer } = JSON.parse(text);
      certified.push({ certificateHash, cer });
      if (certified.length > REMEMBERED) certified.shift();
    },
    verify: async () => {
      const text = await ask(`${node.url}/v1/cer/verify`, {
        method: 'POST',
        body: { bundle: known().cer },
        key: false,
      });
      expect(JSON.parse(text).status === 'verified', 'a certificate of the node does not verify');
    },
    lookup: async () => {
      const { certificateHash } = known();
      const query = new URLSearchParams({ certificate_hash: certificateHash });
      const text = await ask(`${node.url}/v1/cer/public?${query}`, { key: false });
      expect(text.includes(certificateHash), 'a record of another certificate');
    },
    list: async () => {
      const { records } = JSON.parse(await ask(`${node.url}/v1/records?limit=20`));
      expect(records.length > 0, 'an empty list');
    },
    ingest: async () => {
      const executions = Array.from({ length: BRIDGE_BATCH }, execution);
      const text = await ask(`${bridge.url}/api/v1/ingest/executions`, { method: 'POST', body: { executions } });
      expect(
        JSON.parse(text).results.every(({ ok }) => ok),
        'the bridge refused an execution',
      );
    },
    render: async () => {
      const body = { code: SKETCH, seed: 'soak', VAR: [] };
      const text = await ask(`${node.url}/api/render`, { method: 'POST', body, accept: 'application/json' });
      const { pixelHash } = JSON.parse(text);
      picture ??= pixelHash;
      expect(typeof pixelHash === 'string' && pixelHash === picture, 'another picture');
    },
  };
  const run = async (kind) => {
    const startedAt = performance.now();
    try {
      await work[kind]();
      latencies[kind].push(performance.now() - startedAt);
    } catch (error) {
      errorCount += 1;
      const reason = `${kind}: ${error.cause?.code ?? error.message}`;
      errors.set(reason, (errors.get(reason) ?? 0) + 1);
    }
  };
  return {
    /** Makes the first certificates, which the other requests read. */
    begin: async () => {
      for (let at = 0; at < 20; at += 1) await run('certify');
      expect(certified.length === 20, [...errors.keys()][0]);
    },
    one: () => run(weighted(random, mix)),
    errors,
    errorCount: () => errorCount,
    /** Latencies in ms by kind since the last call. */
    takeLatencies: () => {
      const taken = latencies;
      latencies = emptyLatencies();
      return taken;
    },
  };
}

function emptyLatencies() {
  return Object.fromEntries(KINDS.map((kind) => [kind, []]));
}
