import { isJsonArray, isJsonObject, type JsonValue } from '@cer/canonical-json';
import { label } from './spans/attribute-values.js';

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
  ...['message', 'parts', 'contents', 'message_content', 'image', 'gen_ai.event.content'],
  ...['tool_calls', 'tool_call', 'function'],
]);
const TOOLS = /^(tool_(call|calls|use|call_response)|function)$/;
/** Members of input and output that are made of messages. */
const MESSAGES = ['system', 'messages', 'choices', 'completions'];
/** Beside content in the input of a call. */
const NO_QUESTION: ReadonlySet<string> = new Set(['system', 'tools']);

/** Null for content that is there, and where there is none at all. */
export function withholding(content: JsonValue | undefined, mask: string | undefined): Withholding | null {
  if (!isJsonObject(content)) return null;
  if (mask !== undefined && holdsText(content, mask)) return 'masked';
  if (Object.keys(content).every((name) => NO_QUESTION.has(name))) return 'not-recorded';
  const parts: Parts = { all: 0, bare: 0, bareTools: 0 };
  for (const name of MESSAGES) countParts(content[name], false, parts);
  const isAll = parts.bare === parts.all;
  // Tools may have no arguments and no result.
  if (parts.bare === 0 || (!isAll && parts.bare === parts.bareTools)) return null;
  return isAll ? 'not-recorded' : 'parts-left-out';
}

/** Counts of parts of messages, and of messages that are not divided. A bare one has no content. */
interface Parts {
  all: number;
  bare: number;
  bareTools: number;
}

/** Adds up without lists: there may be a million parts. */
function countParts(value: JsonValue | undefined, isOfTool: boolean, parts: Parts): void {
  const add = (isBare: boolean, isTool: boolean): void => {
    parts.all += 1;
    if (!isBare) return;
    parts.bare += 1;
    if (isTool) parts.bareTools += 1;
  };
  if (value === undefined) return;
  if (isJsonArray(value)) {
    for (const element of value) countParts(element, isOfTool, parts);
    return;
  }
  if (!isJsonObject(value)) {
    add(false, isOfTool);
    return;
  }
  const names = Object.keys(value).filter((name) => !LABELS.has(name));
  const isTool = isOfTool || TOOLS.test(label(value['type']) ?? '');
  if (names.length > 0 && names.every((name) => HOLDERS.has(name))) {
    for (const name of names) countParts(value[name], isTool || TOOLS.test(name), parts);
    return;
  }
  const { response } = value;
  if (isJsonArray(response)) for (const part of response) add(isTypeAlone(part), false);
  else add(names.length === 0, isTool);
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
