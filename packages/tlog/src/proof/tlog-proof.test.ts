import { describe, expect, it } from '@jest/globals';
import { TestLog } from '../testing/index.js';
import { formatTlogProof, parseTlogProof } from './tlog-proof.js';

const log = new TestLog('log.example');
log.appendMany(3);
const path = log.tree.inclusionPath(1);
const proofOf = async (extra?: Uint8Array): Promise<string> =>
  formatTlogProof({ index: 1, path, checkpoint: await log.checkpoint(), ...(extra !== undefined && { extra }) });

describe('a proof', () => {
  it('is read as it is written', async () => {
    const extra = Uint8Array.of(1, 2, 3);
    expect(parseTlogProof(await proofOf(extra))).toMatchObject({ index: 1, path, extra, checkpoint: { size: 3 } });
    expect((await proofOf(extra)).split('\n').slice(0, 3)).toEqual(['c2sp.org/tlog-proof@v1', 'extra AQID', 'index 1']);
    for (const without of [await proofOf(), await proofOf(new Uint8Array(0))]) {
      expect(without.split('\n')[1]).toBe('index 1');
      expect(parseTlogProof(without).extra).toEqual(new Uint8Array(0));
    }
  });

  it('has up to 53 hashes', async () => {
    const text = await proofOf();
    const [hash = ''] = text.split('\n').slice(2);
    const withHashes = (count: number): string =>
      text.replace(/(?<=index 1\n)[^]*?\n\n/, `${`${hash}\n`.repeat(count)}\n`);
    expect(parseTlogProof(withHashes(53)).path).toHaveLength(53);
    expect(() => parseTlogProof(withHashes(54))).toThrow(
      expect.objectContaining({ code: 'MALFORMED', message: 'proof: the path is longer than any tree is high' }),
    );
  });

  it.each<[string, (text: string) => string, string]>([
    ['no empty line', (text) => text.replaceAll('\n\n', '\n'), 'proof: must hold a checkpoint after an empty line'],
    ['nothing', () => '', 'proof: must hold a checkpoint after an empty line'],
    ['an empty line at its start', (text) => `\n\n${text}`, 'proof: must begin with c2sp.org/tlog-proof@v1'],
    ['another header', (text) => text.replace('@v1', '@v2'), 'proof: must begin with c2sp.org/tlog-proof@v1'],
    ['no index', (text) => text.replace(/index 1\n/, ''), 'proof: must name the index'],
    ['a header alone', () => 'c2sp.org/tlog-proof@v1\n\nrest', 'proof: must name the index'],
    ['an extra alone', () => 'c2sp.org/tlog-proof@v1\nextra AA==\n\nrest', 'proof: must name the index'],
    ['the index without its name', (text) => text.replace('index 1', '000001'), 'proof: must name the index'],
    [
      'an index with a leading zero',
      (text) => text.replace('index 1', 'index 01'),
      'proof: the index must be a decimal number without leading zeros, at most 2^53-1',
    ],
    ['an extra that is not base64', (text) => text.replace('index', 'extra ?\nindex'), 'proof: extra must be base64'],
    [
      'a hash that is not base64',
      (text) => text.replace('index 1\n', 'index 1\n?\n'),
      'proof: a hash of the path must be base64',
    ],
    [
      'a short hash',
      (text) => text.replace('index 1\n', 'index 1\nAAAA\n'),
      'proof: a hash of the path must have 32 bytes',
    ],
  ])('is refused with %s', async (_, change, message) => {
    const text = await proofOf();
    const refusal: unknown = expect.objectContaining({ name: 'TlogError', code: 'MALFORMED', message });
    expect(() => parseTlogProof(change(text))).toThrow(refusal);
  });
});
