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
  const parts = MESSAGES.flatMap((name) => partsIn(content[name], false));
  const bare = parts.filter(({ isBare }) => isBare);
  const isAll = bare.length === parts.length;
  // Tools may have no arguments and no result.
  if (bare.length === 0 || (!isAll && bare.every(({ isTool }) => isTool))) return null;
  return isAll ? 'not-recorded' : 'parts-left-out';
}

/** A part of a message, or a message that is not divided. */
interface Part {
  /** It has no content. */
  readonly isBare: boolean;
  readonly isTool: boolean;
}

function partsIn(value: JsonValue | undefined, isOfTool: boolean): readonly Part[] {
  if (value === undefined) return [];
  if (isJsonArray(value)) return value.flatMap((element) => partsIn(element, isOfTool));
  if (!isJsonObject(value)) return [{ isBare: false, isTool: isOfTool }];
  const names = Object.keys(value).filter((name) => !LABELS.has(name));
  const isTool = isOfTool || TOOLS.test(label(value['type']) ?? '');
  if (names.length > 0 && names.every((name) => HOLDERS.has(name))) {
    return names.flatMap((name) => partsIn(value[name], isTool || TOOLS.test(name)));
  }
  const { response } = value;
  if (isJsonArray(response)) return response.map((part) => ({ isBare: isTypeAlone(part), isTool: false }));
  return [{ isBare: names.length === 0, isTool }];
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
