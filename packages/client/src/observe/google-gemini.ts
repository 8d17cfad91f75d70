import { elementsOf } from '@cer/canonical-json';
import { textOf, type Json, type JsonMembers } from '../json.js';
import {
  addDelta,
  assignBut,
  assignStated,
  isDraft,
  isList,
  keepReasons,
  objectIn,
  placeOf,
  type Draft,
  type Fold,
  type Place,
  type SseEvent,
  type StreamEnd,
} from './fold.js';

/** Members of a candidate whose lists arrive in parts. Others are stated again by chunks. */
const LISTS: ReadonlySet<string> = new Set(['citationMetadata', 'logprobsResult']);

/** Streams of `:streamGenerateContent`. No event ends them: every candidate has its reason to finish. */
export function foldGemini(): Fold {
  let head: Draft = {};
  const candidates = new Map<Place, Draft>();
  let end: StreamEnd = 'open';
  let hasReasons = true;

  return {
    push({ data }: SseEvent): void {
      if (end !== 'open') return;
      const chunk = objectIn(data);
      if (chunk === null) return;
      assignBut(head, chunk, 'candidates');
      if ((chunk['error'] ?? null) !== null) end = 'failed';
      for (const candidate of elementsOf(chunk['candidates'])) {
        if (!isDraft(candidate)) continue;
        const place = placeOf(candidate['index'] ?? 0);
        const known = candidates.get(place) ?? {};
        candidates.set(place, known);
        addCandidate(known, candidate);
      }
    },
    get end() {
      return end;
    },
    get isWhole() {
      if (!hasReasons) return false;
      // A refused prompt has no candidates.
      if (candidates.size === 0) return textOf(head['promptFeedback'], 'blockReason') !== null;
      return [...candidates.values()].every((candidate) => typeof candidate['finishReason'] === 'string');
    },
    forget: () => {
      head = { promptFeedback: head['promptFeedback'] ?? null };
      hasReasons = keepReasons(candidates, 'finishReason') && hasReasons;
    },
    answer: (): JsonMembers => (candidates.size === 0 ? head : { ...head, candidates: [...candidates.values()] }),
  };
}

function addCandidate(known: Draft, candidate: Draft): void {
  for (const name of Object.keys(candidate)) {
    const value = candidate[name] ?? null;
    if (name === 'content' && isDraft(value)) addContent(known, value);
    else if (LISTS.has(name)) addDelta(known, { [name]: value });
    else assignStated(known, { [name]: value });
  }
}

function addContent(candidate: Draft, added: Draft): void {
  const content = isDraft(candidate['content']) ? candidate['content'] : {};
  candidate['content'] = content;
  assignBut(content, added, 'parts');
  const parts = isList(content['parts']) ? content['parts'] : [];
  content['parts'] = parts;
  for (const part of elementsOf(added['parts'])) addPart(parts, part);
}

/** Adds text to the last part where both are nothing but text: a part with a signature is sent back as it arrived. */
function addPart(parts: Json[], part: Json): void {
  const last = parts.at(-1);
  if (isText(last) && isText(part) && last['thought'] === part['thought'])
    addDelta(last, { text: part['text'] ?? null });
  else parts.push(part);
}

function isText(part: Json | undefined): part is Draft {
  if (!isDraft(part) || typeof part['text'] !== 'string') return false;
  return Object.keys(part).every((name) => name === 'text' || name === 'thought');
}
