import type { Output } from '../io.js';

const MAX_WIDTH = 100;
const DEFAULT_WIDTH = 80;

export function widthOf(output: Output): number {
  return Math.max(40, Math.min(output.columns ?? DEFAULT_WIDTH, MAX_WIDTH));
}

/**
 * Breaks text at spaces; a hash or a path that is longer than a line keeps its line to itself.
 * @param indent precedes every line but the first, which continues the current line
 */
export function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width - indent.length) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}

/** A label and its text. */
export type Row = readonly [label: string, text: string];

/** A row, where the type of an array does not follow from its place. */
export function row(label: string, text: string): Row {
  return [label, text];
}

/** A list of `label  text` rows with the texts in one column. */
export function rows(entries: readonly Row[], width: number): string {
  const column = Math.max(0, ...entries.map(([label]) => label.length)) + 2;
  return entries
    .map(([label, text]) => `  ${label.padEnd(column)}${wrap(text, width, ' '.repeat(column + 2))}\n`)
    .join('');
}

/** A paragraph, indented. */
export function paragraph(text: string, width: number): string {
  return `  ${wrap(text, width, '  ')}\n`;
}
