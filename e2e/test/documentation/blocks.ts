import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../npm-start.js';

/** A fenced code block of a document. */
export interface Block {
  /** Path of the document, from the root of the repository. */
  readonly document: string;
  /** Line of its first line of text, from 1. */
  readonly line: number;
  /** Language of the fence; empty when the fence has none. */
  readonly language: string;
  readonly text: string;
}

const FENCE = /^( *)```(\w*)\n(.*?)^\1```$/gms;

/** The text of a document. @param document path from the root of the repository */
export function readDocument(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

/** The code blocks of a document in their order, without the indentation of a list. */
export function blocksOf(document: string): readonly Block[] {
  const page = readDocument(document);
  return [...page.matchAll(FENCE)].map(({ index, 1: indent = '', 2: language = '', 3: text = '' }) => ({
    document,
    line: page.slice(0, index).split('\n').length + 1,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** A document without its code: what has links and paths. */
export function proseOf(document: string): string {
  return readDocument(document).replaceAll(FENCE, '');
}
