import { describe, expect, it } from '@jest/globals';
import { testSigner } from '@cer/keys/testing';
import type { ReadResult, Request } from './messages.js';
import { tokenOf } from './token.js';
import type { TokenCalls } from './token-connection.js';

const honest = testSigner('honest');
const other = testSigner('other');
const described = { kid: honest.kid, label: 'key', point: honest.publicKey.raw };
const message = new TextEncoder().encode('receipt');

/** A module with scripted answers. */
function answering(answers: Partial<Record<Request['operation'], (request: Request) => unknown>>): TokenCalls {
  return {
    ask: async <T>(request: Request, read: ReadResult<T>) => read(await answers[request.operation]?.(request)),
    close: () => undefined,
  };
}

const messageOf = (request: Request): Uint8Array => (request.operation === 'sign' ? request.message : new Uint8Array());

describe('a module that lies', () => {
  it.each<[string, (request: Request) => unknown]>([
    ['another key’s signature', (request) => other.sign(messageOf(request))],
    ['a signature of another message', () => honest.sign(message)],
    ['63 bytes', async (request) => (await honest.sign(messageOf(request))).subarray(1)],
    ['65 bytes', async (request) => Uint8Array.of(...(await honest.sign(messageOf(request))), 0)],
    ['64 zeros', () => new Uint8Array(64)],
    ['nothing', () => new Uint8Array()],
  ])('is rejected on open and create when it returns %s', async (_lie, sign) => {
    const token = tokenOf(answering({ find: () => described, create: () => described, sign }));
    const refusal = { code: 'PKCS11_SIGNATURE_INVALID' };
    await expect(token.openKey(honest.kid)).rejects.toMatchObject(refusal);
    await expect(token.createKey('key')).rejects.toMatchObject(refusal);
  });

  it('is rejected later too', async () => {
    let liar = honest;
    const token = tokenOf(answering({ find: () => described, sign: (request) => liar.sign(messageOf(request)) }));
    const signer = await token.openKey(honest.kid);
    expect(await signer.sign(message)).toEqual(await honest.sign(message));
    liar = other;
    await expect(signer.sign(message)).rejects.toMatchObject({ code: 'PKCS11_SIGNATURE_INVALID' });
  });

  it('is rejected when it returns another key', async () => {
    const find = () => ({ ...described, kid: other.kid, point: other.publicKey.raw });
    const token = tokenOf(answering({ find, sign: (request) => other.sign(messageOf(request)) }));
    await expect(token.openKey(honest.kid)).rejects.toMatchObject({ code: 'PKCS11_SIGNATURE_INVALID' });
  });

  it('is rejected when a kid does not match its key', async () => {
    const find = () => ({ ...described, point: other.publicKey.raw });
    const token = tokenOf(answering({ find, sign: (request) => other.sign(messageOf(request)) }));
    await expect(token.openKey(honest.kid)).rejects.toMatchObject({ code: 'PKCS11_SIGNATURE_INVALID' });
  });

  it.each([null, undefined, {}, 'key', { ...described, point: 'x' }, { ...described, kid: 1 }])(
    'is rejected when its answer is unreadable: %j',
    async (answer) => {
      await expect(tokenOf(answering({ find: () => answer })).openKey(honest.kid)).rejects.toMatchObject({
        code: 'PKCS11_UNAVAILABLE',
      });
    },
  );
});
