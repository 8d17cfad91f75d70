import type { TimestampVerifier } from '@cer/cer-core/verify';
import type * as Timestamps from '@cer/timestamps';

/** The reader of RFC 3161 tokens, the same that the command line and the node use. */
export type TimestampCode = Pick<typeof Timestamps, 'createTimestampVerifier' | 'parseTsaRoots' | 'NO_ROOTS'>;

/** Loads it: a server has it, a page fetches it when needed, the offline file contains it. */
export type LoadTimestampCode = () => Promise<TimestampCode>;

/**
 * A checker of external timestamps whose code is loaded at the first token: most records have none. Where it cannot be
 * loaded the token is not checked, and never counts as verified.
 * @param rootsPem the authorities that the visitor chose; null: none, so a sound token is `untrusted`
 */
export function timestampVerifier(load: LoadTimestampCode, rootsPem: string | null): TimestampVerifier {
  let loading: Promise<TimestampVerifier> | undefined;
  const create = async (): Promise<TimestampVerifier> => {
    const code = await load().catch(() => null);
    if (code === null) return () => Promise.resolve({ status: 'not-checked' });
    const { createTimestampVerifier, parseTsaRoots, NO_ROOTS } = code;
    return createTimestampVerifier(rootsPem === null ? NO_ROOTS : parseTsaRoots(rootsPem));
  };
  return async (claim) => {
    loading ??= create();
    return (await loading)(claim);
  };
}
