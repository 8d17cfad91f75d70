import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CER_VERIFY_CODES } from '@cer/cer-core';
import { specifiedRoutes } from '@cer/http-service/testing';

import { nodeRoutes } from '../src/start/app.js';
import { STATUS } from '../src/errors/refusals.js';
import { startTestNode, type TestNode } from './test-node.js';

const SPEC = readFileSync(join(__dirname, '../../../docs/spec.md'), 'utf8');

/** The cells of the first table under a heading, without the header row. */
function tableUnder(heading: string): string[][] {
  const section = SPEC.split(`\n## ${heading}\n`)[1]?.split(/\n#/)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

let node: TestNode;

beforeAll(async () => {
  node = await startTestNode();
});
afterAll(() => node.close());

describe('the specification and the node', () => {
  it('list the same routes', () => {
    const served = nodeRoutes(node.deps).map(({ method, path }) => `${method} ${path}`);
    expect(specifiedRoutes('node')).toEqual(served.toSorted());
    expect(served.length).toBeGreaterThan(10);
  });

  it('map errors to the same status', () => {
    const specified = tableUnder('Errors').flatMap(([status, codes = '']) =>
      [...codes.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => [code, Number(status)]),
    );
    expect(Object.fromEntries(specified)).toEqual(STATUS);
    expect(specified).toHaveLength(Object.keys(STATUS).length);
  });

  it('keep error and verification codes distinct', () => {
    const codes: readonly string[] = CER_VERIFY_CODES;
    expect(Object.keys(STATUS).filter((code) => codes.includes(code))).toEqual([]);
  });
});
