import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { decodeMessage, encodeMembers, encodeMessage, HEAD_BYTES } from './cdp-messages.js';
import { openCdpPipe } from './cdp-pipe.js';

function pipe() {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  return { toBrowser, fromBrowser, cdp: openCdpPipe(toBrowser, fromBrowser) };
}

/** As the browser sends it: the members of `message`, and `params`, which may be none. */
const bytesOf = ({ params = {}, ...head }: Record<string, unknown> & { readonly params?: object }): Buffer =>
  Buffer.concat(encodeMessage({ ...head, params: { ...params } }));

async function sentTo(toBrowser: PassThrough): Promise<unknown[]> {
  await once(toBrowser, 'readable');
  // From Node.js 26 a read takes one part of those that were written.
  const parts: Buffer[] = [];
  for (let part: unknown = toBrowser.read(); Buffer.isBuffer(part); part = toBrowser.read()) parts.push(part);
  let rest = Buffer.concat(parts);
  const sent: unknown[] = [];
  while (rest.length > 0) {
    const bytes = HEAD_BYTES + rest.readUInt32BE(HEAD_BYTES - 4);
    sent.push(decodeMessage(rest.subarray(0, bytes)));
    rest = rest.subarray(bytes);
  }
  return sent;
}

it('matches answers to calls, in fragments of any length', async () => {
  const { toBrowser, fromBrowser, cdp } = pipe();
  const answers = Promise.all([cdp.call('A.b', { x: 1 }), cdp.call('C.d', {}, { sessionId: 's' })]);
  expect(await sentTo(toBrowser)).toEqual([
    { id: 1, method: 'A.b', params: { x: 1 } },
    { id: 2, method: 'C.d', params: {}, sessionId: 's' },
  ]);
  const bytes = Buffer.concat([bytesOf({ id: 2, result: { v: 'second' } }), bytesOf({ id: 1, result: {} })]);
  for (const byte of bytes) fromBrowser.write(Buffer.of(byte));
  expect(await answers).toEqual([{}, { v: 'second' }]);
});

it('sends prepared members', async () => {
  const { toBrowser, cdp } = pipe();
  const prepared = encodeMembers({ body: Buffer.from('bytes') });
  const call = cdp.call('A.b', { requestId: 'r' }, { sessionId: 's', prepared }).catch(() => undefined);
  expect(await sentTo(toBrowser)).toEqual([
    { id: 1, method: 'A.b', params: { requestId: 'r', body: 'Ynl0ZXM=' }, sessionId: 's' },
  ]);
  toBrowser.destroy(new Error('closed'));
  await call;
});

it('rejects refused, unanswered and late commands', async () => {
  const { fromBrowser, cdp } = pipe();
  const refused = cdp.call('A.b');
  fromBrowser.write(bytesOf({ id: 1, error: { message: 'no such thing' } }));
  await expect(refused).rejects.toMatchObject({ reason: 'refused', message: 'A.b: no such thing' });
  await expect(cdp.call('A.b', {}, { timeoutMs: 5 })).rejects.toMatchObject({ reason: 'silent' });
  const open = cdp.call('A.b');
  fromBrowser.destroy();
  await expect(open).rejects.toMatchObject({ reason: 'closed' });
  await expect(cdp.call('A.b')).rejects.toMatchObject({ reason: 'closed' });
  expect(cdp.isClosed()).toBe(true);
});

it.each([
  ['other bytes', Buffer.from('{"id":1,"result":{}}\0')],
  ['an item that no message has', Buffer.from('d8185a00000003bff7ff', 'hex')],
  ['a message that is no map', Buffer.from('d8185a00000001f6', 'hex')],
  ['an error without a text', bytesOf({ id: 1, error: { message: 1 } })],
])('is closed by %s', async (_what, bytes) => {
  const { fromBrowser, cdp } = pipe();
  const open = cdp.call('A.b');
  fromBrowser.write(bytes);
  await expect(open).rejects.toMatchObject({ reason: 'closed' });
});

it('is closed by an event that its listener cannot read', async () => {
  const { fromBrowser, cdp } = pipe();
  cdp.onSession('s', ({ params }) => {
    if (params['request'] === undefined) throw new TypeError('no request');
  });
  const open = cdp.call('A.b');
  expect(cdp.fault()).toBeUndefined();
  fromBrowser.write(bytesOf({ method: 'A.x', sessionId: 's' }));
  await expect(open).rejects.toMatchObject({ reason: 'closed' });
  expect(cdp.fault()).toBeInstanceOf(TypeError);
});

it('rejects only the call of a 100 MB answer', async () => {
  const { fromBrowser, cdp } = pipe();
  const flooded = expect(cdp.call('A.b')).rejects.toMatchObject({ reason: 'oversize' });
  const other = cdp.call('C.d');
  const answer = bytesOf({ id: 1, result: { v: 'x'.repeat(100 * 1024 * 1024) } });
  for (let at = 0; at < answer.length; at += 1024 * 1024) fromBrowser.write(answer.subarray(at, at + 1024 * 1024));
  fromBrowser.write(bytesOf({ id: 2, result: { ok: true } }));
  expect(await other).toEqual({ ok: true });
  await flooded;
});

it('hands events to the session they belong to', () => {
  const { fromBrowser, cdp } = pipe();
  const seen: string[] = [];
  const stop = cdp.onSession('s', ({ method }) => seen.push(method));
  fromBrowser.emit(
    'data',
    Buffer.concat([bytesOf({ method: 'A.x', sessionId: 's' }), bytesOf({ method: 'B.x', sessionId: 't' })]),
  );
  stop();
  fromBrowser.emit('data', bytesOf({ method: 'C.x', sessionId: 's' }));
  expect(seen).toEqual(['A.x']);
});
