import { isJsonArray, isJsonObject, type JsonValue } from '@cer/canonical-json';
import { at } from './spans/attribute-values.js';

/**
 * Why a side of a call is not its content although the span has something there: `masked` when a text of it is the
 * dialect's mask, `not-recorded` when messages say what they are and nothing more, `parts-left-out` when that holds for
 * some of their parts.
 */
export type Withholding = 'not-recorded' | 'masked' | 'parts-left-out';

/** Members that describe a message or a part of one. Without any other member its content was left out. */
const LABELS: ReadonlySet<string> = new Set([
  ...['type', 'role', 'id', 'name', 'index', 'finish_reason'],
  ...['kind', 'modality', 'mime_type', 'media_type', 'builtin', 'visible'],
]);
/** Members that hold parts of a message. */
const HOLDERS: ReadonlySet<string> = new Set([
  ...['message', 'parts', 'contents', 'message_content', 'image', 'tool_calls', 'tool_call', 'function'],
  'gen_ai.event.content',
]);
/** Members of input and output that are made of messages. */
const MESSAGES = ['system', 'messages', 'choices', 'completions'];
/** Beside content in the input of a call. */
const NO_QUESTION: ReadonlySet<string> = new Set(['system', 'tools']);

/** Null for content that is there, and where there is none at all. */
export function withholding(content: JsonValue | undefined, mask: string | undefined): Withholding | null {
  if (!isJsonObject(content)) return null;
  if (mask !== undefined && holdsText(content, mask)) return 'masked';
  if (Object.keys(content).every((name) => NO_QUESTION.has(name))) return 'not-recorded';
  const messages = MESSAGES.map((name) => content[name]);
  if (!messages.some(lacksContent)) return null;
  return messages.some(hasContent) ? 'parts-left-out' : 'not-recorded';
}

function lacksContent(value: JsonValue | undefined): boolean {
  if (isJsonArray(value)) {
    const lacking = value.filter(lacksContent);
    // A tool may be called without arguments, in a message that has content.
    return lacking.length > 0 && (lacking.length === value.length || !lacking.every(isToolCall));
  }
  if (!isJsonObject(value)) return false;
  if (isJsonArray(value['response']) && value['response'].some(isTypeAlone)) return true;
  return contentNames(value).every((name) => HOLDERS.has(name) && lacksContent(value[name]));
}

function hasContent(value: JsonValue | undefined): boolean {
  if (isJsonArray(value)) return value.some(hasContent);
  if (!isJsonObject(value)) return value !== undefined;
  return contentNames(value).some((name) => !HOLDERS.has(name) || hasContent(value[name]));
}

function contentNames(value: object): readonly string[] {
  return Object.keys(value).filter((name) => !LABELS.has(name));
}

function isToolCall(part: JsonValue): boolean {
  return at(part, 'type') === 'tool_call';
}

/** What Anthropic's SDK records of a picture in the result of a tool. */
function isTypeAlone(part: JsonValue): boolean {
  return isJsonObject(part) && Object.keys(part).length === 1 && typeof part['type'] === 'string';
}

function holdsText(value: JsonValue | undefined, text: string): boolean {
  if (isJsonArray(value)) return value.some((element) => holdsText(element, text));
  if (isJsonObject(value)) return Object.values(value).some((member) => holdsText(member, text));
  return value === text;
}
