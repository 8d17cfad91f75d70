import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { flag, port } from '../config.js';
import { runProgram } from './run-program.js';

const VARIABLES = z.object({
  PORT: port(4300).describe('TCP port to listen on.'),
  NODE_URL: z.string().describe('Address of the node.'),
  VERIFY_URL: z.string().optional().describe('Address of the verifier.'),
  CACHE: flag(true).describe('Whether answers are kept.'),
});

/** Runs a program that must not start. */
async function called(...args: readonly string[]) {
  const result = { out: '', err: '', codes: Array.of<number>() };
  await runProgram(
    {
      call: 'node main.js',
      purpose: 'serve the bridge',
      variables: VARIABLES,
      start: () => Promise.reject(new Error('started')),
    },
    {
      argv: ['node', 'main.js', ...args],
      on: () => undefined,
      stdout: { write: (text) => (result.out += text) },
      stderr: { write: (text) => (result.err += text) },
      exit: (code) => result.codes.push(code),
    },
  );
  return result;
}

describe('a program that only serves', () => {
  it.each([['help'], ['-h'], ['--help'], ['--port', '-h']])('prints its variables: %s %s', async (...args) => {
    const { out, err, codes } = await called(...args);
    expect({ err, codes }).toEqual({ err: '', codes: [] });
    expect(out).toContain('Usage: node main.js');
    expect(out).toContain('  PORT=4300\n      TCP port to listen on.\n');
    expect(out).toContain('  NODE_URL (required)\n');
    expect(out).toContain('  VERIFY_URL\n');
    expect(out).toContain('  CACHE=1\n');
  });

  it('takes --help after -- as an operand', async () => {
    const { out, err, codes } = await called('--', '--help');
    expect({ out, codes }).toEqual({ out: '', codes: [1] });
    expect(err).toContain('takes no arguments');
  });

  it('refuses arguments without repeating them', async () => {
    const { out, err, codes } = await called('--secret=sesame');
    expect({ out, codes }).toEqual({ out: '', codes: [1] });
    expect(err).toContain('takes no arguments');
    expect(err).not.toContain('sesame');
  });

  it('starts without arguments', async () => {
    expect((await called()).codes).toEqual([1]);
  });
});
