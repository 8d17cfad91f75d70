import { textOf, type Json, type JsonMembers } from '../json.js';
import {
  addDelta,
  assignBut,
  assignStated,
  isDraft,
  isList,
  objectIn,
  placeOf,
  type Draft,
  type Fold,
  type Place,
  type SseEvent,
  type StreamEnd,
} from './fold.js';

/** Kinds of deltas that have the final value of their block. */
const FINAL: ReadonlySet<Json | undefined> = new Set<Json>(['signature_delta', 'compaction_delta']);
/** Members of the message that are beside the delta of its last event. */
const BESIDE_DELTA = ['context_management', 'input_transformations'] as const;

/** Streams of the Messages API. They end with `message_stop`. */
export function foldMessages(): Fold {
  let end: StreamEnd = 'open';
  let message: Draft = {};
  const blocks = new Map<Place, Draft>();

  return {
    push({ data }: SseEvent): void {
      if (end !== 'open') return;
      const event = objectIn(data);
      if (event === null) return;
      const { type, message: started, content_block: block, delta } = event;
      const place = placeOf(event['index']);
      if (type === 'message_start' && isDraft(started)) assignBut(message, started, 'content');
      if (type === 'content_block_start' && isDraft(block)) {
        blocks.set(place, { ...block });
        // The answer is of the model that took over.
        if (block['type'] === 'fallback') assignStated(message, { model: textOf(block['to'], 'model') ?? undefined });
      }
      if (type === 'content_block_delta' && isDraft(delta)) addToBlock(blocks.get(place) ?? {}, delta);
      if (type === 'message_delta') addToMessage(message, event);
      if (type === 'error') message['error'] = event['error'] ?? null;
      if (type === 'message_stop') end = 'complete';
      else if (type === 'error') end = 'failed';
    },
    get end() {
      return end;
    },
    isWhole: false,
    forget: () => {
      message = {};
      blocks.clear();
    },
    answer: (): JsonMembers => ({ ...message, content: [...blocks.values()].map(withInput) }),
  };
}

function addToBlock(block: Draft, delta: Draft): void {
  const { type, citation = null } = delta;
  const { citations } = block;
  // The type of a delta names its kind, not that of the block.
  if (type === 'citations_delta') {
    const known = isList(citations) ? citations : [];
    known.push(citation);
    block['citations'] = known;
  } else if (FINAL.has(type)) assignBut(block, delta, 'type');
  else addDelta(block, delta, 'type');
}

function addToMessage(message: Draft, event: Draft): void {
  const { delta, usage } = event;
  if (isDraft(delta)) assignStated(message, delta);
  for (const name of BESIDE_DELTA) assignStated(message, { [name]: event[name] });
  if (!isDraft(usage)) return;
  const known = isDraft(message['usage']) ? message['usage'] : {};
  message['usage'] = known;
  assignStated(known, usage);
}

/** The input of a tool arrives as pieces of its JSON text; a text that is not whole stays as it arrived. */
function withInput({ partial_json: text, ...block }: JsonMembers): JsonMembers {
  if (text === undefined) return block;
  if (typeof text !== 'string') return { ...block, partial_json: text };
  const input = objectIn(text === '' ? '{}' : text);
  return input === null ? { ...block, partial_json: text } : { ...block, input };
}
