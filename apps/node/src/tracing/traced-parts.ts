import type { Trace } from '@cer/http-service';
import type { Quota } from '../limits/quota.js';
import type { Signing } from '../signing/signing.js';

/** What of a request's time goes by outside of this process, or in its slowest parts. */
export interface TracedParts {
  readonly signing: Signing;
  readonly quota: Quota;
}

/** The same parts with a span around each signature and around each commit. The spans name nothing of the content. */
export function tracedParts({ signing, quota }: TracedParts, trace: Trace | undefined): TracedParts {
  if (trace === undefined) return { signing, quota };
  return {
    signing: {
      attestorAt: async (time) => {
        const { signer, ...attestor } = await signing.attestorAt(time);
        const { kid, publicKey } = signer;
        const sign = (message: Uint8Array): Promise<Uint8Array> => trace('signer sign', {}, () => signer.sign(message));
        return { ...attestor, signer: { kid, publicKey, sign } };
      },
      published: () => signing.published(),
      prove: (time) => signing.prove(time),
    },
    quota: {
      record: (record, limits) =>
        trace('store commit', {}, async (note) => {
          const outcome = await quota.record(record, limits);
          note({ 'cer.replay': !outcome.recorded });
          return outcome;
        }),
      assertRoomFor: (...asked) => quota.assertRoomFor(...asked),
      close: () => quota.close(),
    },
  };
}
