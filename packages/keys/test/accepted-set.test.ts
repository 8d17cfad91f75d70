/** All backends accept the same signatures; the cases are derived from the definitions. */
import { describe, expect, it } from '@jest/globals';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { webcrypto } from 'node:crypto';
import { createVerifier, tweetnaclBackend, verifySignature, webCryptoBackend } from '../src/index.js';
import { platformBackend as browserBackend } from '../src/platform/browser.js';
import { platformBackend as nodeBackend } from '../src/platform/node.js';
import {
  challenge,
  encodingOf,
  forgeSignature,
  fromLittleEndian,
  L,
  littleEndian,
  nonCanonicalY,
  smallOrderEncodings,
  torsionPoints,
} from './curve.js';
import { bytesOf, RFC_8032_VECTORS } from './rfc8032.js';

const backends = [nodeBackend, webCryptoBackend(webcrypto.subtle), tweetnaclBackend, browserBackend];
const verifiers = backends.map(createVerifier);

/** The common verdict of all backends behind the gate; fails when they disagree. */
async function verdict(raw: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const verdicts = await Promise.all(verifiers.map((verify) => verify({ raw }, message, signature)));
  const [first] = verdicts;
  expect(verdicts).toEqual(backends.map(() => first));
  return first === true;
}

const message = new TextEncoder().encode('receipt');
const seed = new Uint8Array(32).fill(7);
const { scalar } = ed25519.utils.getExtendedPublicKey(seed);
const key = ed25519.getPublicKey(seed);
const signature = ed25519.sign(message, seed);
const withS = (s: bigint): Uint8Array => Uint8Array.from([...signature.subarray(0, 32), ...littleEndian(s)]);
const S = fromLittleEndian(signature.subarray(32));

describe('genuine signatures', () => {
  it.each(RFC_8032_VECTORS)('of RFC 8032 are accepted: $name', async (vector) => {
    const read = [bytesOf(vector.key), bytesOf(vector.message), bytesOf(vector.signature)] as const;
    expect(await verdict(...read)).toBe(true);
    expect(await verdict(read[0], Uint8Array.from([...read[1], 0]), read[2])).toBe(false);
  });

  it('are accepted for any key and message', async () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    await fc.assert(
      fc.asyncProperty(bytes32, fc.uint8Array({ maxLength: 200 }), async (anySeed, anyMessage) => {
        const made = ed25519.sign(anyMessage, anySeed);
        expect(await verdict(ed25519.getPublicKey(anySeed), anyMessage, made)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('are refused after any bit flip', async () => {
    const whole = Uint8Array.from([...key, ...signature, ...message]);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length * 8 - 1), async (bit) => {
        const changed = Uint8Array.from(whole);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(await verdict(changed.slice(0, 32), changed.slice(96), changed.slice(32, 96))).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});

describe('respelled signatures', () => {
  it.each([1n, 2n, 3n, 4n, 8n, 14n])('with S + %d L are refused', async (times) => {
    expect(await verdict(key, message, withS(S))).toBe(true);
    expect(await verdict(key, message, withS(S + times * L))).toBe(false);
  });

  it('need the gate: tweetnacl accepts S + L', async () => {
    expect(await tweetnaclBackend.verify(key, message, withS(S + L))).toBe(true);
  });

  it.each([L, L + 1n, L - S, (1n << 256n) - 1n, (1n << 253n) + S])('with another S are refused', async (s) => {
    expect(await verdict(key, message, withS(s))).toBe(false);
  });

  it.each([0, 1, 32, 63, 65, 96, 128])('with %d bytes are refused', async (length) => {
    const wrong = new Uint8Array(length);
    wrong.set(signature.subarray(0, length));
    expect(await verdict(key, message, wrong)).toBe(false);
  });
});

describe('points of small order', () => {
  const nonce = { scalar: 5n, encoding: ed25519.Point.BASE.multiply(5n).toBytes() };
  const zero = new Uint8Array(32);

  it('are refused as the key in every spelling', async () => {
    for (const encoding of smallOrderEncodings()) {
      // The equation holds for at least about one in eight messages.
      for (let at = 0; at < 3; at++) {
        const any = Uint8Array.of(at);
        expect(await verdict(encoding, any, forgeSignature({ scalar: 0n, encoding }, nonce, any))).toBe(false);
      }
    }
  });

  it('are refused as R in every spelling', async () => {
    for (const encoding of smallOrderEncodings()) {
      const forged = forgeSignature({ scalar, encoding: key }, { scalar: 0n, encoding }, message);
      expect(await verdict(key, message, forged)).toBe(false);
    }
  });

  it('are refused as both key and R with S = 0', async () => {
    for (const encoding of smallOrderEncodings()) {
      expect(await verdict(encoding, message, Uint8Array.from([...encoding, ...zero]))).toBe(false);
    }
  });

  it('need the gate: tweetnacl accepts the neutral point, and OpenSSL by its version', async () => {
    const neutral = encodingOf(1n, 0);
    const skeleton = Uint8Array.from([...neutral, ...zero]);
    expect(await tweetnaclBackend.verify(neutral, message, skeleton)).toBe(true);
    expect(await verdict(neutral, message, skeleton)).toBe(false);
  });
});

describe('encodings that are not canonical', () => {
  it('are refused as key and as R', async () => {
    for (const encoding of nonCanonicalY()) {
      expect(await verdict(encoding, message, signature)).toBe(false);
      expect(await verdict(key, message, Uint8Array.from([...encoding, ...signature.subarray(32)]))).toBe(false);
    }
  });
});

describe('points with a part of small order', () => {
  // Not rejected: the equation without cofactor decides, and every backend must agree.
  const torsion = torsionPoints();
  const base = ed25519.Point.BASE;

  it('are accepted when the cofactorless equation holds', async () => {
    let accepted = 0;
    for (const [i, keyTorsion] of torsion.entries()) {
      const mixedKey = { scalar, encoding: base.multiply(scalar).add(keyTorsion).toBytes() };
      for (const nonceTorsion of torsion.filter((_, j) => (i + j) % 2 === 0)) {
        const nonce = { scalar: 9n, encoding: base.multiply(9n).add(nonceTorsion).toBytes() };
        const holds = (any: Uint8Array): boolean => {
          const h = challenge(nonce.encoding, mixedKey.encoding, any);
          return torsion[(Number(h % 8n) * i) % 8]?.add(nonceTorsion).is0() ?? false;
        };
        for (const wanted of [true, false]) {
          const found = Array.from({ length: 64 }, (_, at) => Uint8Array.of(at)).find((any) => holds(any) === wanted);
          if (found === undefined) continue;
          expect(await verdict(mixedKey.encoding, found, forgeSignature(mixedKey, nonce, found))).toBe(wanted);
          if (wanted) accepted++;
        }
      }
    }
    expect(accepted).toBeGreaterThan(15);
  });
});

describe('hostile input', () => {
  const odd = [
    key,
    new Uint8Array(32).fill(255),
    ...smallOrderEncodings(),
    ...nonCanonicalY(),
    littleEndian(2n),
    littleEndian(L),
  ];
  const part = fc.oneof(fc.constantFrom(...odd), fc.uint8Array({ minLength: 32, maxLength: 32 }));
  const scalars = fc.oneof(fc.constantFrom(0n, 1n, S, L - 1n, L, L + S), fc.bigInt(0n, (1n << 256n) - 1n));

  it('gets the same verdict from every backend', async () => {
    await fc.assert(
      fc.asyncProperty(part, part, scalars, async (a, r, s) => {
        expect(await verdict(a, message, Uint8Array.from([...r, ...littleEndian(s)]))).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('with a key of another length is refused', async () => {
    for (const length of [0, 31, 33, 64]) expect(await verdict(new Uint8Array(length), message, signature)).toBe(false);
  });

  it('never makes the verifier throw', async () => {
    const broken = createVerifier({ name: 'broken', verify: () => Promise.reject(new Error('no')) });
    expect(await broken({ raw: key }, message, signature)).toBe(false);
    // Simulates an untyped caller.
    const untyped: (...input: unknown[]) => unknown = Function.prototype.call.bind(verifySignature, undefined);
    expect(await untyped({ raw: key }, 'text', signature)).toBe(false);
    expect(await untyped({}, message, signature)).toBe(false);
    expect(await untyped(undefined, message, signature)).toBe(false);
    expect(await untyped({ raw: key }, message, null)).toBe(false);
  });
});
