import { ask, type Answer, type Question } from '../ask.js';
import type { Resources, Row } from './caller-table.js';

/** A request of the table, with what its caller sends to identify itself. */
export interface AskedRow {
  readonly row: Row;
  readonly resources: Resources;
  readonly as: Pick<Question, 'key' | 'headers'>;
}

export function askRow(
  node: { readonly url: string },
  { row: { route, path, body, mediaType }, resources, as: { key, headers = {} } }: AskedRow,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const [method, pattern = ''] = route.split(' ');
  return ask(node, method === 'GET' ? 'get' : 'post', path?.(resources) ?? pattern, {
    ...(key !== undefined && { key }),
    ...(body !== undefined && { body: body(resources) }),
    headers: { ...more, ...headers, ...(mediaType !== undefined && { 'Content-Type': mediaType }) },
  });
}
