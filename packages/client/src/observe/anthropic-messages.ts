import type { Json, JsonMembers } from '../json.js';
import { addDelta, isDraft, objectIn, type Fold, type StreamEnd } from './fold.js';
import type { SseEvent } from './sse.js';

/** Streams of the Messages API. They end with `message_stop`. */
export function foldMessages(): Fold {
  let end: StreamEnd = 'open';
  const message: Record<string, Json> = {};
  const blocks = new Map<Json | undefined, Record<string, Json>>();

  return {
    push({ data }: SseEvent): void {
      if (end !== 'open') return;
      const event = objectIn(data);
      if (event === null) return;
      const { type, index, message: started, content_block: block, delta, usage } = event;
      if (type === 'message_start' && isDraft(started)) Object.assign(message, started);
      if (type === 'content_block_start' && isDraft(block)) blocks.set(index, { ...block });
      if (type === 'content_block_delta' && isDraft(delta)) {
        // The type of a delta names its kind, not that of the block.
        addDelta(blocks.get(index) ?? {}, delta, 'type');
      }
      if (type === 'message_delta' && isDraft(delta)) Object.assign(message, delta);
      if (type === 'message_delta' && isDraft(usage)) {
        message['usage'] = { ...(isDraft(message['usage']) ? message['usage'] : {}), ...usage };
      }
      if (type === 'error') message['error'] = event['error'] ?? null;
      if (type === 'message_stop') end = 'complete';
      else if (type === 'error') end = 'failed';
    },
    get end() {
      return end;
    },
    isWhole: false,
    forget: () => {
      blocks.clear();
    },
    answer: (): JsonMembers => ({ ...message, content: [...blocks.values()].map(withInput) }),
  };
}

/** The input of a tool arrives as pieces of its JSON text; a text that is not whole stays as it arrived. */
function withInput({ partial_json: text, ...block }: Record<string, Json>): JsonMembers {
  if (typeof text !== 'string') return block;
  const input = objectIn(text === '' ? '{}' : text);
  return input === null ? { ...block, partial_json: text } : { ...block, input };
}
