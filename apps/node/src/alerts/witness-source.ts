import type { AskWitness } from '../log/witness-client.js';
import type { AlertSource } from './source.js';

const SILENT_MS = 15 * 60_000;

interface Heard {
  /** Of the last cosignature, or of the first request; in milliseconds since 1970. */
  goodMs: number;
  badMs: number;
}

/** Listens to the answers of witnesses. */
export interface WitnessSource extends AlertSource {
  /** The same request, noted. */
  readonly listening: (ask: AskWitness) => AskWitness;
}

/** A witness that has cosigned nothing for 15 minutes although it was asked, by the process that asks. */
export function createWitnessSource(now: () => Date): WitnessSource {
  const heard = new Map<string, Heard>();
  return {
    type: 'witness.silent',
    isComplete: false,
    listening: (ask) => async (witness, submission) => {
      const known = heard.get(witness.name) ?? { goodMs: now().getTime(), badMs: 0 };
      heard.set(witness.name, known);
      const answer = await ask(witness, submission);
      const isGood = answer.status === 'cosigned' || answer.status === 'size';
      const at = now().getTime();
      known[isGood ? 'goodMs' : 'badMs'] = at;
      // The clock was set back: silence counts from here.
      if (known.goodMs > at) known.goodMs = at - 1;
      return answer;
    },
    observe: async (at) =>
      [...heard].flatMap(([subject, { goodMs, badMs }]) => {
        const silentMs = at.getTime() - goodMs;
        const isSilent = badMs > goodMs && silentMs > SILENT_MS;
        // After one bad answer the state is unknown until 15 minutes have passed.
        if (badMs > goodMs && !isSilent) return [];
        const details = { silentSeconds: Math.floor(silentMs / 1000) };
        return [{ type: 'witness.silent' as const, subject, isFiring: isSilent, details: isSilent ? details : {} }];
      }),
  };
}
