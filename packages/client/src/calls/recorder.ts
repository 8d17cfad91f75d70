import type { CallContext, Contexts } from './call-context.js';
import type { Json } from '../json.js';
import type { Outcome } from '../outcome.js';
import type { StepPlace } from './project-run.js';
import { redacted } from './redacted.js';
import { executionOf, type CallDescription, type CallFacts } from '../seal/execution-of.js';
import { seal, SealError, type Sealed } from '../seal/seal.js';
import { protocolOf, type Settings } from '../settings.js';
import type { Counts } from '../stats.js';
import { uuidV7 } from '../uuid-v7.js';

export interface RecorderDeps {
  readonly settings: Settings;
  readonly counts: Counts;
  readonly contexts: Contexts;
  readonly isFull: () => boolean;
  /** Stores a sealed bundle. @param isPromised also in a full spool. @returns false when the spool is full */
  readonly store: (sealed: Sealed, isPromised: boolean) => boolean;
  /** Counts a fault and reports it; does not throw. */
  readonly failed: (error: unknown) => void;
}

/** A call that is under way. */
export interface StartedCall {
  readonly executionId: string;
  /** Seals and stores the call, once. @returns its certificate; null without one */
  end(outcome: Outcome, describe: () => CallDescription): Sealed | null;
  /** The call is certified by another observer. */
  leave(): void;
  /** The call cannot be certified. */
  miss(): void;
}

/** Counts calls, seals them when they end, and stores them. None of its methods throws, except `admit`. */
export interface Recorder {
  /** @throws Error when the options refuse calls that no certificate would follow */
  admit(): void;
  /**
   * @param url where the call goes; of a framework's call `provider:model`
   * @param body the input, given to the option `certify`
   * @returns null for a call that is left out by choice
   */
  begin(url: string, body: () => Json, context?: CallContext): StartedCall | null;
  /** A call that was seen and cannot be certified. */
  passOver(): void;
}

export function createRecorder(deps: RecorderDeps): Recorder {
  const { settings, counts } = deps;
  return {
    admit: () => {
      if (settings.onFull === 'throw-before-call' && deps.isFull()) {
        throw new Error('the call was not made: the spool of certificates is full');
      }
    },
    begin: (url, body, context = deps.contexts.current()) => {
      counts.seen += 1;
      if (!isWanted(deps, url, body)) {
        counts.skipped += 1;
        return null;
      }
      return startCall(deps, context.project?.begin() ?? null);
    },
    passOver: () => {
      counts.seen += 1;
      counts.unsealed += 1;
    },
  };
}

/** With a hook that fails, the call is certified. */
function isWanted({ settings, failed }: RecorderDeps, url: string, body: () => Json): boolean {
  try {
    return settings.certify === undefined || settings.certify({ url, body: body() });
  } catch (error) {
    failed(error);
    return true;
  }
}

function startCall(deps: RecorderDeps, place: StepPlace | null): StartedCall {
  const { settings, counts } = deps;
  const startedAt = new Date();
  const executionId = uuidV7(startedAt.getTime());
  // A call that is made because there is room has its place, even when others fill the spool before it ends.
  const isPromised = settings.onFull === 'throw-before-call' && !deps.isFull();
  let isOpen = true;
  counts.open += 1;

  const close = (): boolean => {
    if (!isOpen) return false;
    isOpen = false;
    counts.open -= 1;
    return true;
  };
  const record = (outcome: Outcome, describe: () => CallDescription): Sealed | null => {
    const endedAt = new Date().toISOString();
    const facts = { executionId, appId: settings.appId, startedAt: startedAt.toISOString(), endedAt };
    const call = redacted(describe(), settings.redaction);
    const sealed = sealCall(settings, facts, call);
    if (sealed.openings !== null) settings.confidential?.onOpenings({ ...sealed, openings: sealed.openings });
    if (!deps.store(sealed, isPromised)) {
      counts.dropped += 1;
      return null;
    }
    counts.sealed += 1;
    counts.outcomes[outcome] += 1;
    place?.fill(sealed, call.model, call.kind);
    return sealed;
  };

  return {
    executionId,
    end: (outcome, describe) => {
      if (!close()) return null;
      try {
        return record(outcome, describe);
      } catch (error) {
        counts.unsealed += 1;
        deps.failed(error);
        return null;
      }
    },
    leave: () => {
      if (!close()) return;
      counts.seen -= 1;
      place?.leave();
    },
    miss: () => {
      if (close()) counts.unsealed += 1;
    },
  };
}

/**
 * Of input and output the one that JSON rules refuse (a lone surrogate, too many levels) is sealed as text, an answer of
 * which bytes were seen by their hash. The other one is sealed as in any call.
 */
function sealCall(settings: Settings, facts: CallFacts, call: CallDescription): Sealed {
  const { confidential = null } = settings;
  const stated = confidential === null ? null : { parameters: {}, ...confidential };
  const sealed = (described: CallDescription): Sealed =>
    seal(executionOf(facts, described, protocolOf(settings), stated));
  const sealedOrNull = (described: CallDescription): Sealed | null => {
    try {
      return sealed(described);
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  };
  const asStated = sealedOrNull(call);
  if (asStated !== null) return asStated;
  const input = { input: call.inputText ?? JSON.stringify(call.input), inputHash: null };
  const output = { output: call.outputSha256 === null ? JSON.stringify(call.output) : null };
  return (
    sealedOrNull({ ...call, ...output }) ??
    sealedOrNull({ ...call, ...input }) ??
    sealed({ ...call, ...input, ...output })
  );
}
