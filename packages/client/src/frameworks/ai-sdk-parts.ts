import type { Json, JsonMembers } from '../json.js';
import type { Outcome } from '../outcome.js';
import { jsonOf, membersOf } from '../values/json-of.js';

/** The sum of the parts of one stream of the AI SDK. */
export interface StreamedParts {
  push(part: unknown): void;
  /** Null while neither an end nor an error has come. */
  readonly outcome: Outcome | null;
  /** `{content, finishReason, usage}`, as an unstreamed call gives them. */
  answer(): Json;
}

interface StreamedText {
  readonly type: string;
  text: string;
}

const TEXT_OF: Readonly<Record<string, string>> = { 'text-delta': 'text', 'reasoning-delta': 'reasoning' };
/** Parts that are content by themselves. */
const WHOLE: ReadonlySet<unknown> = new Set([
  'custom',
  'file',
  'reasoning-file',
  'source',
  'tool-approval-request',
  'tool-call',
  'tool-result',
]);

/**
 * Folds the parts of `doStream`, of specification versions 2 to 4.
 * @param outcomeOf the outcome of a call with this error
 */
export function foldParts(outcomeOf: (error: unknown) => Outcome): StreamedParts {
  const content: (Json | StreamedText)[] = [];
  const texts = new Map<string, StreamedText>();
  let outcome: Outcome | null = null;
  let ending: JsonMembers = {};

  const addText = (type: string, id: unknown, delta: string): void => {
    const key = `${type} ${typeof id === 'string' ? id : ''}`;
    const known = texts.get(key) ?? { type, text: '' };
    if (!texts.has(key)) content.push(known);
    texts.set(key, known);
    known.text += delta;
  };

  return {
    push: (part) => {
      const value = membersOf(part);
      const { type, id, delta, finishReason, usage } = value;
      const kind = typeof type === 'string' ? TEXT_OF[type] : undefined;
      if (kind !== undefined && typeof delta === 'string') addText(kind, id, delta);
      if (WHOLE.has(type)) content.push(jsonOf(part));
      if (type === 'finish') {
        outcome ??= 'complete';
        ending = { finishReason: jsonOf(finishReason), usage: jsonOf(usage) };
      }
      if (type === 'error') outcome ??= outcomeOf(value['error']);
    },
    get outcome() {
      return outcome;
    },
    answer: () => ({ content: jsonOf(content), ...ending }),
  };
}

/** The members of an unstreamed answer that are bound; null when the value is another one. */
export function generated(result: unknown): JsonMembers | null {
  if (typeof result !== 'object' || result === null || !('content' in result)) return null;
  const { content, finishReason, usage } = membersOf(result);
  return { content: jsonOf(content), finishReason: jsonOf(finishReason), usage: jsonOf(usage) };
}
