import { describe, expect, it } from '@jest/globals';
import { certified, TEST_TIME } from '@cer/cer-core/testing';
import { checkArtefact } from '../check/check-artefact.js';
import type { ArtefactCheck } from '../check/check-result.js';
import { CheckCache } from './check-cache.js';

const MIB = 1024 * 1024;

async function check(): Promise<ArtefactCheck> {
  const source = JSON.stringify(await certified({}));
  const pins = { keySet: null, keySource: null, tsaRoots: null, logPolicy: null, askedHash: null };
  return checkArtefact({ source, ...pins, verifiedAt: TEST_TIME }, () => import('@cer/timestamps'));
}

describe('the checks in memory', () => {
  let started: string[];
  const lookUp = async (cache: CheckCache, version: string, bytes: number): Promise<void> => {
    await cache.get(version, bytes, () => {
      started.push(version);
      return check();
    });
  };

  it.each([
    ['in number', 1, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']],
    ['in bytes', 50 * MIB, ['a', 'b', 'c']],
  ])('are bounded %s, and the oldest is dropped', async (_, bytes, versions) => {
    started = [];
    const cache = new CheckCache();
    for (const version of versions) await lookUp(cache, version, bytes);
    for (const version of versions.slice(1).reverse()) await lookUp(cache, version, bytes);
    expect(started).toEqual(versions);
    await lookUp(cache, 'a', bytes);
    expect(started).toEqual([...versions, 'a']);
  });

  it('do not include a failed one', async () => {
    started = [];
    const cache = new CheckCache();
    await expect(cache.get('a', 1, () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
    await lookUp(cache, 'a', 1);
    expect(started).toEqual(['a']);
  });
});
