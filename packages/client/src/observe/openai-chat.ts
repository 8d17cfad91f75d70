import { elementsOf } from '@cer/canonical-json';
import type { Json, JsonMembers } from '../json.js';
import {
  addDelta,
  assignBut,
  assignStated,
  isDraft,
  keepReasons,
  objectIn,
  placeOf,
  type Fold,
  type Place,
  type SseEvent,
  type StreamEnd,
} from './fold.js';

/** Members of a choice that arrive in parts. Others, as the verdicts of a content filter, are stated again by chunks. */
const PARTS: ReadonlySet<string> = new Set(['text', 'logprobs']);

/** Streams of chat completions and of text completions. They end with `[DONE]`. */
export function foldChat(): Fold {
  let head: Record<string, Json> = {};
  const choices = new Map<Place, Record<string, Json>>();
  let end: StreamEnd = 'open';
  let hasReasons = true;

  const addChoice = (choice: Record<string, Json>): void => {
    const { delta } = choice;
    const place = placeOf(choice['index']);
    const known = choices.get(place) ?? {};
    choices.set(place, known);
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
      return (
        hasReasons &&
        choices.size > 0 &&
        [...choices.values()].every((choice) => typeof choice['finish_reason'] === 'string')
      );
    },
    forget: () => {
      head = {};
      hasReasons = keepReasons(choices, 'finish_reason') && hasReasons;
    },
    answer: (): JsonMembers => ({ ...head, choices: [...choices.values()] }),
  };
}
