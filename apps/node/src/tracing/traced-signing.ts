import type { Trace } from '@cer/http-service/process';
import type { Signing } from '../signing/signing.js';

/** The same signing with a span around each signature. The spans name nothing of the content. */
export function tracedSigning(signing: Signing, trace: Trace | undefined): Signing {
  if (trace === undefined) return signing;
  return {
    attestorAt: async (time) => {
      const { signer, ...attestor } = await signing.attestorAt(time);
      const { kid, publicKey } = signer;
      const sign = (message: Uint8Array): Promise<Uint8Array> => trace('signer sign', {}, () => signer.sign(message));
      return { ...attestor, signer: { kid, publicKey, sign } };
    },
    published: () => signing.published(),
    prove: (time) => signing.prove(time),
  };
}
