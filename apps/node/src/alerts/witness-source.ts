import type { AskWitness } from '../log/witness-client.js';
import type { AlertSource } from './source.js';

const SILENT_MS = 15 * 60_000;
/** A process that asked nothing for this long, in ms, does not know what another one heard meanwhile. */
const OTHERS_ASKED_MS = 30 * 60_000;

interface Heard {
  /** Of the last cosignature, or of the first request; silence counts from here. In milliseconds since 1970. */
  sinceMs: number;
  answeredMs: number;
  /** Of the last answer; null before the first. */
  isGood: boolean | null;
}

/** Listens to the answers of witnesses. */
export interface WitnessSource extends AlertSource {
  /** The same request, noted. */
  readonly listening: (ask: AskWitness) => AskWitness;
}

/** A witness that has cosigned nothing for 15 minutes although it was asked, by the processes that asked. */
export function createWitnessSource(now: () => Date): WitnessSource {
  const heard = new Map<string, Heard>();
  return {
    type: 'witness.silent',
    isComplete: false,
    listening: (ask) => async (witness, submission) => {
      const askedMs = now().getTime();
      const before = heard.get(witness.name);
      const isContinued =
        before !== undefined && askedMs - Math.max(before.sinceMs, before.answeredMs) <= OTHERS_ASKED_MS;
      const known = isContinued ? before : { sinceMs: askedMs, answeredMs: 0, isGood: null };
      heard.set(witness.name, known);
      const answer = await ask(witness, submission);
      known.isGood = answer.status === 'cosigned' || answer.status === 'size';
      known.answeredMs = now().getTime();
      if (known.isGood) known.sinceMs = known.answeredMs;
      // The clock was set back: silence counts from here.
      if (known.sinceMs > known.answeredMs) known.sinceMs = known.answeredMs - 1;
      return answer;
    },
    observe: async (at) =>
      [...heard].flatMap(([subject, { sinceMs, answeredMs, isGood }]) => {
        const silentMs = at.getTime() - sinceMs;
        // After a bad answer the state is unknown until 15 minutes have passed.
        if (isGood === null || (!isGood && silentMs <= SILENT_MS)) return [];
        const details = isGood ? {} : { silentSeconds: Math.floor(silentMs / 1000) };
        // Another process may have asked since.
        return [{ type: 'witness.silent' as const, subject, isFiring: !isGood, details, lookedMs: answeredMs }];
      }),
  };
}
