import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { formatTimestampRequest } from '@cer/timestamps';
import {
  createOpensslTsa,
  serveTsa,
  type OpensslTsa,
  type ServedTsa,
  type TsaBehaviour,
} from '@cer/timestamps/testing';

import { at } from '../ask.js';
import { logged, lookup, timestamped, timestampingNode, until, type TimestampingNode } from './timestamping-node.js';

const otherImprint = new Uint8Array(32).fill(7);
const otherRequest = formatTimestampRequest({ imprint: otherImprint, nonce: Uint8Array.of(1) });

/** The request with a changed last byte of its nonce, before `certReq TRUE` at the end. */
function withOtherNonce(query: Uint8Array): Uint8Array {
  return query.map((byte, at) => (at === query.length - 4 ? byte ^ 1 : byte));
}

const HOSTILE: readonly (readonly [string, TsaBehaviour, string])[] = [
  ['says 503', 'refuse', 'HTTP 503'],
  ['sends 200 MB', 'flood', 'has more than'],
  ['timestamps something else', { instead: () => otherRequest }, 'the imprint does not match'],
  ['answers another nonce', { instead: withOtherNonce }, 'the nonce is not the one that was sent'],
  ['refuses in its answer', { instead: (query) => query.subarray(0, -1) }, 'the authority refused'],
  [
    'sends a page',
    { bytes: new TextEncoder().encode('<html>payment required</html>') },
    'its answer is not valid: DER',
  ],
];

describe('an authority', () => {
  let tsa: OpensslTsa;
  let served: ServedTsa;
  let timestamping: TimestampingNode;

  beforeAll(async () => {
    tsa = createOpensslTsa();
    served = await serveTsa((query) => tsa.reply(query));
  });
  afterEach(() => timestamping.close());
  afterAll(async () => {
    await served.close();
    tsa.remove();
  });

  it.each(HOSTILE)('that %s is retried without storing anything', async (_name, behaviour, why) => {
    timestamping = await timestampingNode({ rootPem: tsa.rootPem, urls: [served.url], mode: 'each' });
    const { node, certify, start } = timestamping;
    served.behave(behaviour);
    const [calls, flooded] = [served.calls, served.flooded];
    const hash = await certify();
    start();
    await logged(node, why);
    await until(
      () => served.calls - calls,
      (asked) => asked >= 3,
    );
    expect(at((await lookup(node, hash)).body, 'status')).toBe('ATTESTED');
    // Each attempt sent 200 MB.
    expect((served.flooded - flooded) / (served.calls - calls)).toBeLessThan(50 * 1024 * 1024);
    expect(node.log.filter((line) => line.includes('gave no token'))).toHaveLength(1);
    served.behave('answer');
    expect(at(await timestamped(node, hash), 'timestamp', 'type')).toBe('rfc3161');
    await logged(node, 'answers again');
  });

  it('that is silent does not delay certify', async () => {
    timestamping = await timestampingNode({ rootPem: tsa.rootPem, urls: [served.url], mode: 'each', timeoutMs: 3000 });
    const { node, certify, start } = timestamping;
    served.behave('silence');
    const calls = served.calls;
    const first = await certify();
    start();
    await until(
      () => served.calls - calls,
      (asked) => asked > 0,
    );
    // Its request is pending while these are certified.
    const later = await Promise.all([certify(), certify(), certify()]);
    await logged(node, 'no answer within 3000 ms');
    for (const hash of later) expect(at((await lookup(node, hash)).body, 'status')).toBe('ATTESTED');
    served.behave('answer');
    for (const hash of [first, ...later]) await timestamped(node, hash);
  });

  it('with an unpinned root gets nothing stored', async () => {
    const other = createOpensslTsa({ name: 'Other TSA' });
    timestamping = await timestampingNode({ rootPem: other.rootPem, urls: [served.url], mode: 'batch' });
    const { node, certify, start } = timestamping;
    served.behave('answer');
    const hash = await certify();
    start();
    await logged(node, 'no root of TSA_ROOTS_FILE');
    expect(at((await lookup(node, hash)).body, 'status')).toBe('ATTESTED');
    other.remove();
  });

  it('that is silent does not delay shutdown', async () => {
    timestamping = await timestampingNode({
      rootPem: tsa.rootPem,
      urls: [served.url],
      mode: 'each',
      timeoutMs: 600_000,
    });
    served.behave('silence');
    const calls = served.calls;
    await timestamping.certify();
    timestamping.start();
    await until(
      () => served.calls - calls,
      (asked) => asked > 0,
    );
    await timestamping.close();
    expect(timestamping.node.log.join('')).not.toContain('gave no token');
    // afterEach closes one that is open.
    timestamping = await timestampingNode({ rootPem: tsa.rootPem, urls: [served.url], mode: 'each' });
  });
});
