import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { member, parseJson, type JsonObject } from '@cer/canonical-json';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { certificates, type Certificates } from '../src/index.js';
import { startModelServer, sendJson, type ModelServer } from './model-server.js';
import { objectIn } from './observed-program.js';

type Break = (response: ServerResponse) => void;

/** A node, or what is before it, that breaks whole requests while `breaks` says so of the names of their bundles. */
class FaultyNode {
  readonly attested: string[] = [];
  /** The names in each request. */
  readonly requests: string[][] = [];
  breaks: (names: readonly string[]) => Break | null = () => null;
  /** The status of the line of a bundle. */
  status: (name: string) => number = () => 200;
  server: ModelServer | null = null;

  async start(): Promise<void> {
    this.server = await startModelServer((body, response, { url }) => {
      response.setHeader('connection', 'close');
      const bundles = body
        .trimEnd()
        .split('\n')
        .map((line) => parseJson(line) as JsonObject);
      const names = bundles.map(nameOf);
      this.requests.push(names);
      const broken = this.breaks(names);
      if (broken !== null) broken(response);
      else if (url === '/api/attest-batch') response.end(bundles.map((one, at) => this.#line(one, at)).join(''));
      else this.#register(bundles[0] ?? {}, response);
    });
  }

  #line(bundle: JsonObject, index: number): string {
    const status = this.status(nameOf(bundle));
    if (status !== 200) return `${JSON.stringify({ index, status, body: { error: 'SERVICE_UNAVAILABLE' } })}\n`;
    if (!this.attested.includes(nameOf(bundle))) this.attested.push(nameOf(bundle));
    const body = { certificateHash: member(bundle, 'certificateHash') };
    return `${JSON.stringify({ index, status: 200, body })}\n`;
  }

  #register(project: JsonObject, response: ServerResponse): void {
    const steps = JSON.stringify(member(project, 'stepRegistry'));
    const isWhole = steps.split('"stepLabel":"').every((step, at) => at === 0 || this.#has(step));
    if (!isWhole) sendJson(response, { error: 'ATTESTATION_MISSING' }, 400);
    else {
      this.attested.push(nameOf(project));
      sendJson(response, { ok: true, projectHash: member(objectIn(project, 'integrity'), 'projectHash') });
    }
  }

  #has(step: string): boolean {
    return this.attested.includes(step.slice(0, step.indexOf('"')));
  }
}

function nameOf(bundle: JsonObject): string {
  const title = member(bundle, 'projectTitle');
  return JSON.stringify(title ?? member(objectIn(bundle, 'snapshot'), 'model')).slice(1, -1);
}

const answered =
  (status: number): Break =>
  (response) => {
    response.writeHead(status).end('<h1>Fault</h1>');
  };
const closed: Break = (response) => void response.destroy();

describe('a bundle that breaks each request that has it', () => {
  let node: FaultyNode;
  let dir: string;
  let cer: Certificates;
  let faults: unknown[];
  let dead: string[];
  let repairAfter: number;
  beforeEach(async () => {
    node = new FaultyNode();
    await node.start();
    dir = mkdtempSync(join(tmpdir(), 'cer-faulty-'));
    [faults, dead, repairAfter] = [[], [], Infinity];
    cer = program();
  });
  afterEach(async () => {
    await cer.close({ timeoutMs: 0 });
    await node.server?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const program = (): Certificates =>
    certificates({
      appId: 'tests',
      nodeUrl: node.server?.url ?? '',
      spoolDir: dir,
      onError: (error) => {
        faults.push(error);
        if (faults.length === repairAfter) node.breaks = () => null;
      },
      onDeadLetter: (_, code) => dead.push(code),
    });
  const call = (...names: readonly string[]): void => {
    for (const name of names) cer.tool(name, () => null)();
  };
  const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `call-${at}`);
  const postponed = (): string[] => faults.map(String).filter((fault) => fault.includes('behind the others'));
  const breaksOf =
    (name: string, broken: Break): FaultyNode['breaks'] =>
    (names) =>
      names.includes(name) ? broken : null;

  /** Sends until `count` bundles wait, or the faults are too many. */
  async function sendAllBut(count: number): Promise<void> {
    while (cer.stats().waiting > count && faults.length < 200) await cer.flush({ timeoutMs: 5 });
  }

  it.each([
    ['500', answered(500)],
    ['502', answered(502)],
    ['503', answered(503)],
    ['400', answered(400)],
    ['403', answered(403)],
    ['the end of the connection', closed],
  ])('is sent alone behind the others: %s', async (_, broken) => {
    node.breaks = breaksOf('bad', broken);
    const names = named(40);
    call(...names.slice(0, 8), 'bad', ...names.slice(8));
    await sendAllBut(1);
    expect(node.attested).toEqual(names);
    expect({ dead, waiting: cer.stats().waiting }).toEqual({ dead: [], waiting: 1 });
    call('later');
    await sendAllBut(1);
    expect(node.requests.filter((request) => request.includes('bad') && request.includes('later'))).toEqual([]);
    expect(postponed()).toHaveLength(1);
    node.breaks = () => null;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(node.attested).toEqual([...names, 'later', 'bad']);
    expect(cer.stats()).toMatchObject({ sealed: 42, attested: 42, dead: 0 });
  });

  it('may be one of several', async () => {
    node.breaks = (names) => (names.some((name) => name.startsWith('bad')) ? closed : null);
    call('a', 'bad-1', 'bad-2', 'b', 'bad-3', 'c');
    await sendAllBut(3);
    expect(node.attested.toSorted()).toEqual(['a', 'b', 'c']);
    expect(postponed()).toHaveLength(3);
    node.breaks = breaksOf('bad-1', closed);
    await sendAllBut(1);
    expect(node.attested.toSorted()).toEqual(['a', 'b', 'bad-2', 'bad-3', 'c']);
  });

  it('holds up its project, and no other', async () => {
    node.breaks = breaksOf('bad', answered(502));
    await cer.run({ project: 'held' }, () => {
      call('a', 'bad');
    });
    await cer.run({ project: 'sent' }, () => {
      call('b');
    });
    await sendAllBut(2);
    expect(node.attested).toEqual(['a', 'b', 'sent']);
    node.breaks = () => null;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect({ attested: node.attested, dead }).toEqual({ attested: ['a', 'b', 'sent', 'bad', 'held'], dead: [] });
  });

  it('may be a project', async () => {
    node.breaks = breaksOf('bad', answered(502));
    await cer.run({ project: 'bad' }, () => {
      call('a');
    });
    call('b');
    await sendAllBut(1);
    expect(node.attested).toEqual(['a', 'b']);
    node.breaks = () => null;
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect(node.attested).toEqual(['a', 'b', 'bad']);
  });

  it('is asked for with pauses that hold up no other', async () => {
    node.breaks = breaksOf('bad', closed);
    call('bad', 'a');
    await sendAllBut(1);
    node.breaks = breaksOf('bad', (response) => {
      response.writeHead(503, { 'retry-after': '86400' }).end();
    });
    while (!String(faults.at(-1)).includes('503')) await new Promise((resolve) => setImmediate(resolve));
    node.requests.length = 0;
    call('b', 'c');
    while (cer.stats().waiting > 1) await new Promise((resolve) => setImmediate(resolve));
    call('d');
    while (cer.stats().waiting > 1) await new Promise((resolve) => setImmediate(resolve));
    expect(node.attested).toEqual(['a', 'b', 'c', 'd']);
    expect(node.requests.flat()).not.toContain('bad');
  });

  it('in a spool of an ended process is compared with others of this one', async () => {
    node.breaks = breaksOf('bad', closed);
    call('bad');
    while (faults.length === 0) await cer.flush({ timeoutMs: 5 });
    await cer.close({ timeoutMs: 0 });
    const [own = ''] = readdirSync(dir).filter((name) => name.endsWith('.ndjson'));
    renameSync(join(dir, own), join(dir, `999999999-${'0'.repeat(16)}.ndjson`));
    cer = program();
    call('a');
    await sendAllBut(1);
    expect(node.attested).toEqual(['a']);
  });

  it.each([
    ['503', answered(503)],
    ['closes each connection', closed],
  ])('is not seen in a node that is down: %s', async (_, broken) => {
    node.breaks = () => broken;
    const names = named(300);
    call(...names);
    repairAfter = 40;
    while (faults.length < repairAfter) await cer.flush({ timeoutMs: 5 });
    expect(await cer.flush()).toEqual({ waiting: 0 });
    expect({ attested: node.attested, postponed: postponed(), faults: faults.length }).toEqual({
      attested: names,
      postponed: [],
      faults: 40,
    });
    // One for each pause, five to compare with, and few when it is up: they are soon as large as before.
    expect(node.requests.length).toBeLessThanOrEqual(40 + 5 + 4);
  });

  it('is not seen in a node that asks to wait', async () => {
    node.breaks = breaksOf('first', (response) => {
      response.writeHead(429).end('{"error":"RATE_LIMITED"}');
    });
    call('first', 'second');
    while (faults.length < 30) await cer.flush({ timeoutMs: 5 });
    expect({ attested: node.attested, postponed: postponed() }).toEqual({ attested: [], postponed: [] });
  });

  describe('with bundles that wait in memory', () => {
    /** The folder takes no further bundle; those that it has are sent. */
    const breakDisk = (): void => {
      rmSync(dir, { recursive: true });
      writeFileSync(dir, 'not a folder');
    };

    it('does not hold them up', async () => {
      node.breaks = breaksOf('bad', closed);
      call('bad');
      breakDisk();
      call('a', 'b');
      await sendAllBut(1);
      expect(node.attested).toEqual(['a', 'b']);
      node.breaks = () => null;
      expect(await cer.flush()).toEqual({ waiting: 0 });
      expect(node.attested).toEqual(['a', 'b', 'bad']);
    });

    it.each([
      ['breaks its requests', breaksOf('bad', closed), 200],
      ['is answered with 500', () => null, 500],
    ])('does not hold up those of a folder that takes no more when it %s', async (_, breaks, status) => {
      node.breaks = breaks;
      node.status = (name) => (name === 'bad' ? status : 200);
      call('bad', 'a', 'b');
      breakDisk();
      call('c');
      await sendAllBut(1);
      expect(node.attested.toSorted()).toEqual(['a', 'b', 'c']);
      [node.breaks, node.status] = [() => null, () => 200];
      expect(await cer.flush()).toEqual({ waiting: 0 });
      expect(node.attested.at(-1)).toBe('bad');
    });

    it.each([500, 503])('does not hold them up when its line is answered with %s', async (status) => {
      node.status = (name) => (name === 'bad' ? status : 200);
      call('bad');
      breakDisk();
      call('a', 'b');
      await sendAllBut(1);
      expect(node.attested).toEqual(['a', 'b']);
    });

    it('lets those behind its project pass', async () => {
      node.status = (name) => (name === 'bad' ? 500 : 200);
      await cer.run({ project: 'held' }, () => {
        call('bad');
        breakDisk();
      });
      call('a', 'b');
      await sendAllBut(2);
      expect(node.attested).toEqual(['a', 'b']);
      node.status = () => 200;
      expect(await cer.flush()).toEqual({ waiting: 0 });
      expect({ attested: node.attested, dead }).toEqual({ attested: ['a', 'b', 'bad', 'held'], dead: [] });
    });
  });
});
