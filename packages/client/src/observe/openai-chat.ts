import { elementsOf } from '@cer/canonical-json';
import type { Json, JsonMembers } from '../json.js';
import {
  addDelta,
  assignBut,
  assignStated,
  isDraft,
  objectIn,
  type Fold,
  type SseEvent,
  type StreamEnd,
} from './fold.js';

/** Members of a choice that arrive in parts. Others, as the verdicts of a content filter, are stated again by chunks. */
const PARTS: ReadonlySet<string> = new Set(['text', 'logprobs']);

/** Streams of chat completions and of text completions. They end with `[DONE]`. */
export function foldChat(): Fold {
  const head: Record<string, Json> = {};
  const choices = new Map<Json | undefined, Record<string, Json>>();
  let end: StreamEnd = 'open';

  const addChoice = (choice: Record<string, Json>): void => {
    const { delta } = choice;
    const known = choices.get(choice['index']) ?? {};
    choices.set(choice['index'], known);
    if (isDraft(delta)) {
      const message = isDraft(known['message']) ? known['message'] : {};
      known['message'] = message;
      addDelta(message, delta);
    }
    for (const name of Object.keys(choice)) {
      const value = choice[name] ?? null;
      const stated = Object.hasOwn(known, name) ? known[name] : undefined;
      if (name === 'delta') continue;
      if (PARTS.has(name)) addDelta(known, { [name]: value });
      else if (isDraft(value) && isDraft(stated)) assignStated(stated, value);
      else assignStated(known, { [name]: value });
    }
  };

  return {
    push({ data }: SseEvent): void {
      if (end !== 'open') return;
      if (data === '[DONE]') {
        end = 'complete';
        return;
      }
      const chunk = objectIn(data);
      if (chunk === null) return;
      const { choices: parts, error = null } = chunk;
      assignBut(head, chunk, 'choices');
      if (error !== null) end = 'failed';
      for (const part of elementsOf(parts)) if (isDraft(part)) addChoice(part);
    },
    get end() {
      return end;
    },
    get isWhole() {
      return choices.size > 0 && [...choices.values()].every((choice) => typeof choice['finish_reason'] === 'string');
    },
    forget: () => {
      for (const [index, { finish_reason = null }] of choices) choices.set(index, { finish_reason });
    },
    answer: (): JsonMembers => ({ ...head, choices: [...choices.values()] }),
  };
}
