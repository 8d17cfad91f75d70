import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { zodFaults } from './zod-faults.js';

function faultsOf(schema: z.ZodType, value: unknown): string[] {
  const result = schema.safeParse(value);
  return result.success ? [] : zodFaults(result.error, value);
}

describe('the faults of a request', () => {
  it('are all named, each by path and rule', () => {
    const schema = z.strictObject({
      title: z.string().min(1).max(3),
      count: z.int().min(1),
      size: z.number().lt(5).multipleOf(2),
      tags: z.array(z.string()).max(1),
      nested: z.object({ list: z.array(z.object({ 'odd name': z.boolean() })) }),
      kind: z.enum(['a', 'b']),
      missing: z.string(),
    });
    const value = {
      title: 'leaked',
      count: 1.5,
      size: 7,
      tags: ['leaked', 'leaked'],
      nested: { list: [{ 'odd name': 'leaked' }] },
      kind: 'leaked',
      'un known': 'leaked',
    };
    expect(faultsOf(schema, value)).toEqual([
      'title: must have at most 3 characters',
      'count: must be an integer',
      'size: must be less than 5',
      'size: must be a multiple of 2',
      'tags: must have at most 1 elements',
      'nested.list[0]["odd name"]: must be a boolean',
      'kind: must be "a" or "b"',
      'missing: is required',
      'body: has unknown members: "un known"',
    ]);
  });

  it.each<[string, z.ZodType, unknown, string[]]>([
    ['the whole body', z.object({}), 'leaked', ['body: must be an object']],
    ['no body', z.object({}), undefined, ['body: is required']],
    [
      'types of a union',
      z.object({ input: z.union([z.string(), z.array(z.unknown())]) }),
      { input: 5 },
      ['input: must be a string or an array'],
    ],
    [
      'the branch of a union that fits',
      z.object({ input: z.union([z.string(), z.object({ a: z.string() })]) }),
      { input: { a: 1 } },
      ['input.a: must be a string'],
    ],
    [
      'an unknown kind',
      z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
      { type: 'leaked' },
      ['type: has none of the allowed shapes'],
    ],
    ['a format', z.object({ hash: z.string().regex(/^x$/) }), { hash: 'leaked' }, ['hash: must have the format regex']],
    [
      'a format with a rule in words',
      z.object({ limit: z.string().regex(/^x$/, { error: 'must be 1 to 9' }) }),
      { limit: 'leaked' },
      ['limit: must be 1 to 9'],
    ],
    ['an email', z.object({ to: z.email() }), { to: 'leaked' }, ['to: must have the format email']],
    ['a record key', z.record(z.string().max(1), z.string()), { ab: 'leaked' }, ['ab: is not an allowed member name']],
    ['a record value', z.record(z.string(), z.number()), { ab: 'leaked' }, ['ab: must be a number']],
    [
      'a rule of the schema’s own',
      z.object({ a: z.string().refine(() => false, 'must rhyme') }),
      { a: 'leaked' },
      ['a: must rhyme'],
    ],
    ['null', z.object({ a: z.string() }), { a: null }, ['a: must be a string']],
    ['map elements', z.map(z.string(), z.number()), new Map([['k', 'leaked']]), ['k: is required']],
  ])('name %s', (_name, schema, value, faults) => {
    expect(faultsOf(schema, value)).toEqual(faults);
  });

  it('truncate and escape member names of the client', () => {
    const name = `line\n${'x'.repeat(100)}`;
    const [fault = ''] = faultsOf(z.strictObject({}), { [name]: 1 });
    expect(fault).not.toContain('\n');
    expect(fault.length).toBeLessThan(100);
  });

  it('never contain a received value', () => {
    const schema = z.object({
      a: z.iso.datetime(),
      b: z.url(),
      c: z.literal(1),
      d: z.bigint(),
      e: z.date(),
      f: z.never(),
    });
    const leaked = { a: 'leaked', b: 'leaked', c: 'leaked', d: 'leaked', e: 'leaked', f: 'leaked' };
    expect(faultsOf(schema, leaked)).toHaveLength(6);
    expect(faultsOf(schema, leaked).join()).not.toContain('leaked');
  });
});
