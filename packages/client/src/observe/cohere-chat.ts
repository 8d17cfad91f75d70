import type { Json, JsonMembers } from '../json.js';
import {
  addDelta,
  assignBut,
  assignStated,
  isDraft,
  objectIn,
  placeOf,
  type Draft,
  type Fold,
  type Place,
  type SseEvent,
  type StreamEnd,
} from './fold.js';

/** Streams of Cohere's `/v2/chat`. They end with `message-end`. */
export function foldCohere(): Fold {
  let answer: Draft = {};
  let end: StreamEnd = 'open';
  let message: Draft = {};
  /** Items of the message's lists: by the name of the list, then by their index. */
  let lists = new Map<string, Map<Place, Draft>>();
  let logprobs: Json[] = [];

  /** An event has one item of a list under the name of the list. */
  const add = (delta: Draft, place: Place): void => {
    for (const name of Object.keys(delta)) {
      const value = delta[name] ?? null;
      if (!isDraft(value)) {
        // The first event has every list, empty.
        if (!Array.isArray(value)) addDelta(message, { [name]: value });
        continue;
      }
      const items = lists.get(name) ?? new Map<Place, Draft>();
      lists.set(name, items);
      const item = items.get(place) ?? {};
      items.set(place, item);
      addDelta(item, value);
    }
  };

  return {
    push({ data }: SseEvent): void {
      const event = end === 'open' ? objectIn(data) : null;
      if (event === null) return;
      const { type, id, delta, index, logprobs: item } = event;
      if (id !== undefined) assignStated(answer, { id });
      if (isDraft(item)) logprobs.push(item);
      if (!isDraft(delta)) return;
      if (isDraft(delta['message'])) add(delta['message'], placeOf(index));
      if (type !== 'message-end') return;
      assignBut(answer, delta, 'message');
      end = delta['finish_reason'] === 'ERROR' ? 'failed' : 'complete';
    },
    get end() {
      return end;
    },
    isWhole: false,
    forget: () => {
      answer = {};
      message = {};
      lists = new Map();
      logprobs = [];
    },
    answer: (): JsonMembers => ({
      ...answer,
      message: { ...message, ...Object.fromEntries([...lists].map(([name, items]) => [name, [...items.values()]])) },
      ...(logprobs.length > 0 && { logprobs }),
    }),
  };
}
