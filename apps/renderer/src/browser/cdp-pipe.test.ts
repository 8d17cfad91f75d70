import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { openCdpPipe, prepareParams } from './cdp-pipe.js';

function pipe() {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  return { toBrowser, fromBrowser, cdp: openCdpPipe(toBrowser, fromBrowser) };
}

it('ends messages by NUL and matches fragmented answers', async () => {
  const { toBrowser, fromBrowser, cdp } = pipe();
  const answers = Promise.all([cdp.call('A.b', { x: 1 }), cdp.call('C.d', {}, { sessionId: 's' })]);
  await once(toBrowser, 'readable');
  const sent = String(toBrowser.read()).split('\0').filter(Boolean);
  expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
    { id: 1, method: 'A.b', params: { x: 1 } },
    { id: 2, method: 'C.d', params: {}, sessionId: 's' },
  ]);
  fromBrowser.write('{"id":2,"result":{"v":"se');
  fromBrowser.write('cond"}}\0{"id":1,"result":{}}\0');
  expect(await answers).toEqual([{}, { v: 'second' }]);
});

it.each([
  ['beside others', { requestId: 'r' }, { requestId: 'r', name: 'é"', list: [1] }],
  ['alone', {}, { name: 'é"', list: [1] }],
])('sends prepared members %s', async (_where, params, expected) => {
  const { toBrowser, cdp } = pipe();
  const prepared = prepareParams({ name: 'é"', list: [1] });
  cdp.call('A.b', params, { sessionId: 's', prepared }).catch(() => undefined);
  const unprepared = cdp.call('C.d').catch(() => undefined);
  await once(toBrowser, 'readable');
  const sent = String(toBrowser.read()).split('\0').filter(Boolean);
  expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
    { id: 1, method: 'A.b', params: expected, sessionId: 's' },
    { id: 2, method: 'C.d', params: {} },
  ]);
  toBrowser.destroy(new Error('closed'));
  await unprepared;
});

it('rejects refused, unanswered and late commands', async () => {
  const { fromBrowser, cdp } = pipe();
  const refused = cdp.call('A.b');
  fromBrowser.write('{"id":1,"error":{"message":"no such thing"}}\0');
  await expect(refused).rejects.toMatchObject({ reason: 'refused', message: 'A.b: no such thing' });
  await expect(cdp.call('A.b', {}, { timeoutMs: 5 })).rejects.toMatchObject({ reason: 'silent' });
  const open = cdp.call('A.b');
  fromBrowser.destroy();
  await expect(open).rejects.toMatchObject({ reason: 'closed' });
  await expect(cdp.call('A.b')).rejects.toMatchObject({ reason: 'closed' });
  expect(cdp.isClosed()).toBe(true);
});

it('rejects only the call of a 100 MB answer', async () => {
  const { fromBrowser, cdp } = pipe();
  const flooded = expect(cdp.call('A.b')).rejects.toMatchObject({ reason: 'oversize' });
  const other = cdp.call('C.d');
  fromBrowser.write('{"id":1,"result":{"v":"');
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  for (let i = 0; i < 100; i++) fromBrowser.write(megabyte);
  fromBrowser.write('"}}\0{"id":2,"result":{"ok":true}}\0');
  expect(await other).toEqual({ ok: true });
  await flooded;
});

it('hands events to the session they belong to', () => {
  const { fromBrowser, cdp } = pipe();
  const seen: string[] = [];
  const stop = cdp.onSession('s', ({ method }) => seen.push(method));
  fromBrowser.emit(
    'data',
    Buffer.from('{"method":"A.x","sessionId":"s","params":{}}\0{"method":"B.x","sessionId":"t"}\0'),
  );
  stop();
  fromBrowser.emit('data', Buffer.from('{"method":"C.x","sessionId":"s"}\0'));
  expect(seen).toEqual(['A.x']);
});
