import type { Json, JsonMembers } from '../json.js';
import { addDelta, assignStated, objectIn, type Fold, type SseEvent, type StreamEnd } from './fold.js';

/** Members that arrive in parts: of a chat, of a generated text, of both. Others are stated again by lines. */
const PARTS: ReadonlySet<string> = new Set(['message', 'response', 'thinking', 'logprobs']);

/** Streams of Ollama's own routes, one JSON object per line. They end with `done`. */
export function foldOllama(): Fold {
  let head: Record<string, Json> = {};
  let content: Record<string, Json> = {};
  let end: StreamEnd = 'open';

  return {
    push({ data }: SseEvent): void {
      const line = end === 'open' ? objectIn(data) : null;
      if (line === null) return;
      for (const name of Object.keys(line)) {
        const value = line[name] ?? null;
        if (PARTS.has(name)) addDelta(content, { [name]: value });
        else assignStated(head, { [name]: value });
      }
      if ((line['error'] ?? null) !== null) end = 'failed';
      else if (line['done'] === true) end = 'complete';
    },
    get end() {
      return end;
    },
    isWhole: false,
    forget: () => {
      head = {};
      content = {};
    },
    answer: (): JsonMembers => ({ ...head, ...content }),
  };
}
