import { createHash } from 'node:crypto';
import fs, {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openFileSpool } from './file-spool.js';
import type { Spool } from './spool.js';

const LINES = 100;

const fail = (error: unknown): void => {
  throw error;
};

describe('a spool of files', () => {
  let dir = '';
  let spool: Spool;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'cer-file-spool-'));
    spool = openFileSpool(dir, fail);
    // Longer together than what is read at once.
    for (let at = 0; at < LINES; at += 1) spool.put(`{"n":${at},"text":"${'x'.repeat(2000)}"}`);
  });
  afterEach(async () => {
    await spool.close();
    jest.restoreAllMocks();
    rmSync(dir, { recursive: true });
  });

  it('joins a long line once, not again in each read', async () => {
    const text = `{"text":"${'x'.repeat(4 * 1024 * 1024)}"}`;
    spool.put(text);
    const concat = jest.spyOn(Buffer, 'concat');
    expect((await spool.next(LINES + 1))?.texts.at(-1)).toBe(text);
    const joined = concat.mock.calls.flatMap(([parts]) => parts).reduce((sum, { length }) => sum + length, 0);
    expect(joined).toBeLessThan(5 * text.length);
  });

  it('opens beside a segment of its process that is removed at that moment', async () => {
    // A link without a target is listed, as such a file is, and is not there.
    symlinkSync('removed', join(dir, `${process.pid}-${'0'.repeat(16)}.ndjson`));
    const second = openFileSpool(dir, fail);
    second.put('{}');
    expect(second.waiting).toBe(1);
    await second.close();
  });

  it('keeps a refused bundle on a line of its own after one that a full disk cut off', () => {
    const dead = join(dir, 'dead.ndjson');
    spool.bury('{"first":1}', 'A');
    truncateSync(dead, 9);
    spool.bury('{"second":2}', 'B');
    spool.bury('{"third":3}', 'C');
    const lines = readFileSync(dead, 'utf8').split('\n');
    expect(lines).toEqual(['{"code":"', '{"code":"B","bundle":{"second":2}}', '{"code":"C","bundle":{"third":3}}', '']);
  });

  it('reads a batch in several turns of the event loop', async () => {
    let turns = 0;
    let isRead = false;
    const count = (): void => {
      turns += 1;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const batch = await spool.next(LINES);
    isRead = true;
    expect(batch?.texts.map((text) => Number(/\d+/.exec(text)?.[0]))).toEqual([...Array(LINES).keys()]);
    expect(turns).toBeGreaterThanOrEqual(LINES / 16 - 1);
  });

  it('takes bundles while a batch is read', async () => {
    const reading = spool.next(LINES + 1);
    spool.put('{"n":"late"}');
    expect((await reading)?.texts.at(-1)).toBe('{"n":"late"}');
  });

  it('states the offset of attested bundles, also after a longer batch', async () => {
    const doneOf = (): string[] =>
      readdirSync(dir)
        .filter((name) => name.endsWith('.done'))
        .map((name) => readFileSync(join(dir, name), 'utf8'));
    const offsets: number[] = [];
    for (const lines of [1, 2, 6, 60]) {
      (await spool.next(lines))?.acknowledge(lines);
      offsets.push(...doneOf().map(Number));
    }
    const lineBytes = readFileSync(join(dir, readdirSync(dir).find((name) => name.endsWith('.ndjson')) ?? ''), 'utf8')
      .split('\n')
      .map((line) => line.length + 1);
    const offsetOf = (lines: number): number => lineBytes.slice(0, lines).reduce((sum, bytes) => sum + bytes, 0);
    expect(offsets).toEqual([1, 3, 9, 69].map(offsetOf));
  });

  it('leaves nothing on a full disk once all is attested', async () => {
    const noSpace = (): never => {
      throw new Error('no space left on device');
    };
    jest.spyOn(fs, 'openSync').mockImplementation(noSpace);
    (await spool.next(LINES))?.acknowledge(LINES);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('leaves no segment to which nothing could be written', async () => {
    (await spool.next(LINES))?.acknowledge(LINES);
    jest.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw new Error('no space left on device');
    });
    expect(() => {
      spool.put('{"n":"refused"}');
    }).toThrow('no space left on device');
    await spool.close();
    expect(readdirSync(dir)).toEqual([]);
  });

  const segment = (): string => join(dir, readdirSync(dir).find((name) => name.endsWith('.ndjson')) ?? '');

  it.each([
    ['at the end of a line', 0],
    ['within a line', 40],
  ])('loses only the lines of a segment that were cut off: %s', async (_, rest) => {
    const lines = readFileSync(segment(), 'utf8').split('\n');
    truncateSync(segment(), lines.slice(0, 2).join('\n').length + 1 + rest);
    spool.put('{"n":"after"}');
    const sent: string[] = [];
    for (let batch = await spool.next(LINES); batch !== null; batch = await spool.next(LINES)) {
      sent.push(...batch.texts.map((text) => /"n":([^,}]*)/.exec(text)?.[1] ?? ''));
      batch.acknowledge(batch.texts.length);
    }
    expect(sent).toEqual(['0', '1', '"after"']);
    expect(spool).toMatchObject({ torn: LINES - 2, waiting: 0, waitingBytes: 0 });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('takes the segments of ended processes by the time of their bundles', async () => {
    await spool.close();
    rmSync(segment());
    const bundles = ['2026-01-02', '2026-01-01', '2026-01-03'].map((day) => `{"createdAt":"${day}T00:00:00.000Z"}`);
    for (const [at, bundle] of bundles.entries()) {
      const sha256 = createHash('sha256').update(bundle).digest('hex');
      const line = `{"n":1,"sha256":"${sha256}","bundle":${bundle}}\n`;
      writeFileSync(join(dir, `99999999${at}-${'0'.repeat(16)}.ndjson`), line);
    }
    const next = openFileSpool(dir, fail);
    const taken: string[] = [];
    for (let batch = await next.next(LINES); batch !== null; batch = await next.next(LINES)) {
      taken.push(...batch.texts);
      batch.acknowledge(batch.texts.length);
    }
    expect(taken).toEqual(bundles.toSorted());
  });

  it('waits for no line that was changed', async () => {
    const content = readFileSync(segment(), 'utf8');
    writeFileSync(segment(), content.replace('"n":0,"text"', '"n":9,"text"').replace('"n":2,"text"', '"n":9,"text"'));
    const batch = await spool.next(3);
    expect(batch?.texts).toHaveLength(1);
    batch?.acknowledge(1);
    expect(spool).toMatchObject({ torn: 2, waiting: LINES - 3 });
  });

  it('deletes attested bundles without a flush to the disk', async () => {
    const flush = jest.spyOn(fs, 'fdatasyncSync');
    (await spool.next(LINES))?.acknowledge(LINES);
    expect(readdirSync(dir)).toEqual([]);
    expect(flush).not.toHaveBeenCalled();
    spool.put('{"n":"kept"}');
    await spool.close();
    expect(flush).toHaveBeenCalledTimes(1);
  });

  it('lets no other user read folder, segments, offsets or dead letters', async () => {
    const own = join(dir, 'made', 'for it');
    const secret = openFileSpool(own, fail);
    for (const text of ['{"n":1}', '{"n":2}']) secret.put(text);
    (await secret.next(1))?.acknowledge(1);
    secret.bury('{"n":1}', 'REFUSED');
    const names = readdirSync(own);
    expect(names.map((name) => name.replace(/^\d+-[0-9a-f]{16}/, 'x')).toSorted()).toEqual([
      'dead.ndjson',
      'x.ndjson',
      'x.ndjson.done',
    ]);
    const modeOf = (path: string): number => statSync(path).mode & 0o777;
    expect(names.map((name) => modeOf(join(own, name)))).toEqual([0o600, 0o600, 0o600]);
    expect([modeOf(own), modeOf(join(dir, 'made'))]).toEqual([0o700, 0o700]);
    await secret.close();
  });

  it('flushes bundles to the disk, several at once', async () => {
    const flushed = new Promise<void>((resolve) => {
      jest.spyOn(fs, 'fdatasync').mockImplementation(() => {
        resolve();
      });
    });
    spool.put('{"n":"one more"}');
    // The timer of the client does not keep a program running.
    const alive = setInterval(() => undefined, 1000);
    await flushed;
    clearInterval(alive);
    expect(fs.fdatasync).toHaveBeenCalledTimes(1);
  });

  describe('of another process', () => {
    const adopted = (): number => {
      const other = openFileSpool(dir, fail);
      void other.close();
      return other.adopted;
    };
    /** Gives the segment the name of a process. */
    const leaveAs = (pid: number): string => {
      const [name = ''] = readdirSync(dir);
      const path = join(dir, `${pid}-${'0'.repeat(16)}.ndjson`);
      renameSync(join(dir, name), path);
      return path;
    };

    it('is not taken over from one thread by another', () => {
      utimesSync(leaveAs(999_999_999), 1, 1);
      expect(adopted()).toBe(1);
      // Threads have a process id in common, and no names of segments.
      Reflect.deleteProperty(globalThis, Symbol.for('@cer/client: segments of this process'));
      expect(adopted()).toBe(0);
    });

    it('with the same id is taken over if it is older', () => {
      const path = leaveAs(process.pid);
      expect(adopted()).toBe(0);
      utimesSync(path, 1, 1);
      expect(adopted()).toBe(1);
    });

    it('of another user is left to it', () => {
      leaveAs(process.pid + 1);
      const refused = Object.assign(new Error('not permitted'), { code: 'EPERM' });
      jest.spyOn(process, 'kill').mockImplementation(() => {
        throw refused;
      });
      expect(adopted()).toBe(0);
      refused.code = 'ESRCH';
      expect(adopted()).toBe(1);
    });
  });
});
