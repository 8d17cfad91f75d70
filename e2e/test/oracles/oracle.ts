import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import fc from 'fast-check';

// `npm run test:oracles` sets both: how much longer than in `npm test` a comparison is, and where its counts go.
const TIMES = Number(process.env['CER_ORACLE_TIMES'] ?? '1');
const REPORT = process.env['CER_ORACLE_REPORT'];
const SEED = process.env['CER_ORACLE_SEED'];

/**
 * The parameters of fast-check for a comparison that has `short` runs in `npm test`: there the same input each time, so
 * that a failure points to the change that caused it; the long form looks for new failures. A failure names its seed.
 */
export function oracleRuns(short: number): { readonly numRuns: number; readonly seed: number } {
  const seed = Number(SEED ?? (TIMES === 1 ? 1 : Math.floor(Math.random() * 2 ** 31)));
  return { numRuns: Math.ceil(short * TIMES), seed };
}

/** The outcomes of a comparison, counted by name. */
export class OutcomeCounts {
  readonly #counts = new Map<string, number>();

  add(outcome: string): void {
    this.#counts.set(outcome, this.of(outcome) + 1);
  }

  of(outcome: string): number {
    return this.#counts.get(outcome) ?? 0;
  }

  /** Appends one line of JSON to the report of the long form. */
  report(oracle: string, seed: number): void {
    if (REPORT === undefined) return;
    appendFileSync(REPORT, `${JSON.stringify({ oracle, seed, outcomes: Object.fromEntries(this.#counts) })}\n`);
  }
}

/** What another program answers: JSON, one line for each line of its input. */
export function answersOf(program: string, args: readonly string[], lines: readonly string[]): readonly unknown[] {
  const input = lines.map((line) => `${line}\n`).join('');
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

interface Mutation {
  readonly kind: 'flip' | 'set' | 'delete' | 'repeat' | 'insert' | 'cut';
  /** Where, as a part of the length. */
  readonly at: number;
  readonly length: number;
  readonly byte: number;
}

/** One to four changes of bytes: flipped bits, other values, pieces deleted, repeated or inserted, an end cut off. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Mutation['kind']>('flip', 'set', 'set', 'delete', 'repeat', 'insert', 'cut'),
    at: fc.noBias(fc.nat(2 ** 30 - 1)).map((at) => at / 2 ** 30),
    length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 64 })),
    byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.integer({ min: 0, max: 255 })),
  }),
  { minLength: 1, maxLength: 4 },
);

export function mutated(bytes: Uint8Array, changes: readonly Mutation[]): Buffer {
  return changes.reduce<Buffer>((before, { kind, at: part, length, byte }) => {
    const at = Math.floor(part * before.length);
    const [head, tail] = [before.subarray(0, at), before.subarray(at)];
    const piece = tail.subarray(0, length);
    switch (kind) {
      case 'flip':
      case 'set': {
        const after = Buffer.from(before);
        if (after.length > 0) after[at] = kind === 'set' ? byte : (after[at] ?? 0) ^ (1 << (byte & 7));
        return after;
      }
      case 'delete':
        return Buffer.concat([head, tail.subarray(length)]);
      case 'repeat':
        return Buffer.concat([head, piece, tail]);
      case 'insert':
        return Buffer.concat([head, Buffer.alloc(Math.min(length, 12), byte), tail]);
      case 'cut':
        return Buffer.from(part < 0.5 ? tail : head);
    }
  }, Buffer.from(bytes));
}
