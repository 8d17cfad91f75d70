import { isJsonArray, isJsonObject, type JsonValue } from '@cer/canonical-json';
import type { Dialect, ModelCall } from './spans/model-call.js';
import type { Attributes, Span } from './spans/span.js';

/**
 * Why recorded content is, or may be, only a part of the content: `truncated` as the span states, `attributes-dropped`
 * and `events-dropped` as its counts state, `length-limit` when its attributes show that texts were cut.
 */
export type ContentLoss = 'truncated' | 'attributes-dropped' | 'events-dropped' | 'length-limit';

/** `anthropic.content.truncated` and the like. */
const STATES_TRUNCATION = /(^|[._])truncated$|[a-z]Truncated$/;
/** Shorter texts share their length by chance, and a shorter limit would cut labels. */
const MIN_LIMIT = 100;
/** From here on, a power of two as the length of the longest text is taken for a limit. */
const MIN_ROUND_LIMIT = 1024;
/** Members of input and output that are JSON in every dialect. */
const JSON_MEMBERS = ['system', 'messages', 'tools', 'object', 'toolCalls'];

/** Attributes that are JSON texts, or lists of them, whatever they hold. */
const JSON_ATTRIBUTES = ['ai.prompt', 'ai.prompt.tools', 'ai.value', 'ai.values', 'ai.embedding', 'ai.embeddings'];

/** Any sign is enough: content that may be cut is not evidence of the content. Null without a sign. */
export function contentLoss(span: Span, dialect: Dialect, call: ModelCall): ContentLoss | null {
  const messageEvents = span.events.filter(({ name }) => name.startsWith('gen_ai.'));
  const holders = [span, ...messageEvents];
  if (holders.some(({ attributes }) => statesTruncation(attributes))) return 'truncated';
  if (holders.some(({ droppedAttributes }) => droppedAttributes > 0)) return 'attributes-dropped';
  if (dialect.readsEvents === true && span.droppedEvents > 0) return 'events-dropped';
  if ([call.input, call.output].some(holdsCutJson) || hasCutJson(span)) return 'length-limit';
  return showsLengthLimit(holders.map(({ attributes }) => attributes)) ? 'length-limit' : null;
}

function statesTruncation(attributes: Attributes): boolean {
  for (const [name, value] of attributes) {
    if ((value === true || value === 'true') && STATES_TRUNCATION.test(name)) return true;
  }
  return false;
}

/** JSON text that the dialect could not parse is still text here. */
function holdsCutJson(content: JsonValue | undefined): boolean {
  if (!isJsonObject(content)) return false;
  return JSON_MEMBERS.some((name) => {
    const value = content[name];
    return typeof value === 'string' && /^\s*[[{]/.test(value) && !isWholeJson(value);
  });
}

function hasCutJson({ attributes }: Span): boolean {
  const sides = ['input', 'output'].filter((side) => attributes.get(`${side}.mime_type`) === 'application/json');
  return [...JSON_ATTRIBUTES, ...sides.map((side) => `${side}.value`)].some((name) => {
    const value = attributes.get(name);
    return isJsonArray(value) ? value.some(isCutJson) : isCutJson(value);
  });
}

function isCutJson(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && /^\s*[[{"]/.test(value) && !isWholeJson(value);
}

function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A limit cuts every longer text to its own length: then the longest texts of a span, two or more different ones, have
 * exactly one length, or the longest has the length of a usual limit. SDKs count UTF-16 code units or code points,
 * collectors bytes.
 */
function showsLengthLimit(holders: readonly Attributes[]): boolean {
  const long: string[] = [];
  for (const attributes of holders) {
    for (const value of attributes.values()) {
      const text = longestText(value);
      if (text !== undefined && text.length >= MIN_LIMIT) long.push(text);
    }
  }
  return long.length > 0 && [lengthOf, codePointsOf, bytesOf].some((measure) => sharesLongest(long, measure));
}

function sharesLongest(texts: readonly string[], measure: (text: string) => number): boolean {
  let longest: string[] = [];
  let most = 0;
  for (const text of texts) {
    const size = measure(text);
    if (size < most) continue;
    if (size > most) longest = [];
    most = size;
    longest.push(text);
  }
  const isUsual = most >= MIN_ROUND_LIMIT && Number.isInteger(Math.log2(most));
  // Each is compared with one text, not with all: there may be hundreds of thousands.
  const isShared = longest.some((text) => text !== longest[0]);
  return (isUsual || isShared) && !longest.some((text) => /^\s*[[{]/.test(text) && isWholeJson(text));
}

/** Of a list, the longest element: parts of one document are often equally long. */
function longestText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  const elements = isJsonArray(value)
    ? value
    : isJsonObject(value)
      ? Object.values(value).flatMap((held) => held ?? [])
      : [];
  let longest: string | undefined;
  for (const element of elements) {
    const text = longestText(element);
    if (text !== undefined && text.length > (longest?.length ?? -1)) longest = text;
  }
  return longest;
}

const lengthOf = ({ length }: string): number => length;
const bytesOf = (text: string): number => Buffer.byteLength(text);

function codePointsOf(text: string): number {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g);
  return text.length - (pairs?.length ?? 0);
}
