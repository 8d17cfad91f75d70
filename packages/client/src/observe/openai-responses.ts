import type { Json, JsonMembers } from '../json.js';
import { isDraft, objectIn, placeOf, type Fold, type Place, type SseEvent, type StreamEnd } from './fold.js';

const ENDS: ReadonlyMap<Json | undefined, StreamEnd> = new Map<Json, StreamEnd>([
  ['response.completed', 'complete'],
  ['response.incomplete', 'complete'],
  ['response.failed', 'failed'],
  ['error', 'failed'],
]);

/** Streams of the Responses API: the last event has the whole response; before it, items and text so far are kept. */
export function foldResponses(): Fold {
  let end: StreamEnd = 'open';
  let response: JsonMembers = {};
  const items = new Map<Place, Json>();
  const texts = new Map<string, string>();
  const partial = (): JsonMembers => ({
    ...response,
    ...(items.size > 0 && { output: [...items.values()] }),
    partial: Object.fromEntries(texts),
  });

  return {
    push({ data }: SseEvent): void {
      if (end !== 'open') return;
      const event = objectIn(data);
      if (event === null) return;
      const { type, response: stated, delta, output_index: index, item } = event;
      if (isDraft(stated)) response = stated;
      if (type === 'error') response = { ...response, error: event };
      if (isDraft(item)) items.set(placeOf(index), item);
      if (typeof type === 'string' && type.endsWith('.delta') && typeof delta === 'string') {
        const place = JSON.stringify([type, index, event['content_index'] ?? event['summary_index']]);
        texts.set(place, (texts.get(place) ?? '') + delta);
      }
      end = ENDS.get(type) ?? 'open';
    },
    get end() {
      return end;
    },
    isWhole: false,
    forget: () => {
      response = {};
      items.clear();
      texts.clear();
    },
    answer: (): JsonMembers => (end === 'complete' ? response : partial()),
  };
}
