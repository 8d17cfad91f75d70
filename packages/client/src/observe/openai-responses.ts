import type { Json, JsonMembers } from '../json.js';
import { isDraft, objectIn, type Fold, type StreamEnd } from './fold.js';
import type { SseEvent } from './sse.js';

const ENDS: ReadonlyMap<Json | undefined, StreamEnd> = new Map<Json, StreamEnd>([
  ['response.completed', 'complete'],
  ['response.incomplete', 'complete'],
  ['response.failed', 'failed'],
  ['error', 'failed'],
]);

/** Streams of the Responses API: the last event has the whole response; before it, the text so far is kept. */
export function foldResponses(): Fold {
  let end: StreamEnd = 'open';
  let response: JsonMembers = {};
  const texts = new Map<string, string>();

  return {
    push({ data }: SseEvent): void {
      if (end !== 'open') return;
      const event = objectIn(data);
      if (event === null) return;
      const { type, response: stated, delta } = event;
      if (isDraft(stated)) response = stated;
      if (type === 'error') response = { ...response, error: event };
      if (typeof type === 'string' && type.endsWith('.delta') && typeof delta === 'string') {
        const place = JSON.stringify([type, event['output_index'], event['content_index']]);
        texts.set(place, (texts.get(place) ?? '') + delta);
      }
      end = ENDS.get(type) ?? 'open';
    },
    get end() {
      return end;
    },
    isWhole: false,
    forget: () => {
      texts.clear();
    },
    answer: (): JsonMembers => (end === 'complete' ? response : { ...response, partial: Object.fromEntries(texts) }),
  };
}
