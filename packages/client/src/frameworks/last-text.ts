import { listOf, membersOf } from '../values/json-of.js';

/** The text of the last message, or of its last part of text; empty where there is none. */
export function lastText(messages: unknown): string {
  const { content } = membersOf(listOf(messages).at(-1));
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((part) => membersOf(part)['text']);
  const text = texts.findLast((part) => typeof part === 'string');
  return typeof text === 'string' ? text : '';
}
