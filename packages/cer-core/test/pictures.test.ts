import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseJson } from '@cer/canonical-json';
import { parseKeySet } from '@cer/keys';
import { CerError } from '../src/index.js';
import { judgePicture, readPicture } from '../src/picture.js';
import { classify } from '../src/verify/present.js';
import { evaluateCer, toReport } from '../src/verify.js';
import { pictureFamily, type PictureVector } from './vectors/cases/pictures.js';
import { differences } from './vectors/observe.js';

const text = readFileSync(join(__dirname, '../vectors/pictures/pictures.json'), 'utf8');
const { keySet, tests } = JSON.parse(text) as { readonly keySet: unknown; readonly tests: readonly PictureVector[] };

/** A verifier's report on a file. */
async function observed(picture: string): Promise<Record<string, unknown>> {
  try {
    const { png, certificate } = readPicture(Buffer.from(picture, 'base64url'));
    if (certificate === null) return { certificate };
    const how = { verifiedAt: '2026-07-01T00:00:00.000Z', keySet: parseKeySet(keySet) };
    const judged = judgePicture(await evaluateCer(parseJson(certificate), how), png);
    const { status, code, findings } = judged.evaluation;
    const { checks, reasonCodes } = toReport(judged.evaluation, 'vectors/1');
    const classification = classify(judged.evaluation);
    return {
      ...{ status, code, checks, reasonCodes, classification, member: findings[0]?.member ?? null },
      picture: judged.picture,
    };
  } catch (error) {
    if (error instanceof CerError) return { refused: error.code };
    throw error;
  }
}

describe('the vectors of pictures', () => {
  it.each(tests)('$id', async ({ picture, expected }) => {
    expect(differences(expected, await observed(picture))).toEqual({});
  });

  it('equal their definition (`npm run vectors` writes them)', async () => {
    expect(text).toBe(`${JSON.stringify(await pictureFamily(), null, 2)}\n`);
  });
});
