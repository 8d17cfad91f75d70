// One implementation behind the command protocol of README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Exit code of an implementation that does not have the command. */
const NOT_BUILT = 64;
const FILES_AT_ONCE = 250;

/**
 * The answers to case files, in order; null where the implementation does not have the command.
 * @param {{command: readonly string[], cwd?: string}} implementation
 * @param {string} verb a command of README.md
 * @param {readonly object[]} files
 * @throws Error when the implementation fails or answers fewer lines than files
 */
export async function answersOf(implementation, verb, files) {
  const folder = mkdtempSync(join(tmpdir(), 'cer-conformance-'));
  try {
    const answers = [];
    for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
      const paths = files.slice(from, from + FILES_AT_ONCE).map((file, index) => {
        const path = join(folder, `${from + index}.json`);
        writeFileSync(path, JSON.stringify(file));
        return path;
      });
      const lines = await linesOf(implementation, [verb, ...paths]);
      if (lines === null) return null;
      if (lines.length !== paths.length) throw new Error(`${verb}: ${lines.length} answers to ${paths.length} files`);
      answers.push(...lines.map((line) => JSON.parse(line)));
    }
    return answers;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function start({ command: [program, ...args], cwd }, more, env = {}) {
  return spawn(program, [...args, ...more], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function linesOf(implementation, args) {
  const child = start(implementation, args);
  child.stdin.end();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code === NOT_BUILT) return null;
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return text.split('\n').filter((line) => line !== '');
}

/**
 * Starts `serve` or `serve-control-plane`.
 * @param {string} verb which of them
 * @param {object} env variables of OpenTelemetry: where the node sends its spans
 * @returns {Promise<{facts: object, stop: () => Promise<void>} | null>} null where the implementation does not have it
 */
export async function serve(implementation, verb = 'serve', env = {}) {
  const child = start(implementation, [verb], env);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), closed.then(([code]) => ({ code }))]);
  if (!Array.isArray(first)) {
    if (first.code === NOT_BUILT) return null;
    throw new Error(`${verb} ended with ${first.code}`);
  }
  const stop = async () => {
    child.stdin.end();
    await closed;
  };
  return { facts: JSON.parse(first[0]), stop };
}

/** Requests to a node, with the key of its first tenant unless another is given. */
export function apiOf(facts) {
  const send = (method, path, body, headers) => ask(new URL(facts.url), { method, path, body, headers });
  const keyed = { 'content-type': 'application/json', authorization: `Bearer ${facts.apiKey}` };
  const postText = (path, text, headers) => send('POST', path, text, { ...keyed, ...headers });
  const post = (path, value, headers) =>
    postText(path, typeof value === 'string' ? value : JSON.stringify(value), headers);
  return {
    ...facts,
    send,
    post,
    postText,
    get: (path, headers = {}) => send('GET', path, undefined, headers),
    certify: (value, key = facts.apiKey) => post('/v1/cer/ai/certify', value, { authorization: `Bearer ${key}` }),
  };
}

async function ask({ hostname, port }, { method, path, body, headers }) {
  const asked = httpRequest({ hostname, port, method, path, headers, agent: false });
  asked.end(body);
  const [answer] = await once(asked, 'response');
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: answer.statusCode, headers: answer.headers, text, body: jsonIn(text) };
}

function jsonIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
