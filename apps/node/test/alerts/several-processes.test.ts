import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@cer/http-service/process';
import type { PolicyWitness } from '@cer/tlog';
import { auditSource } from '../../src/alerts/audit-source.js';
import { observeAll } from '../../src/alerts/observe.js';
import type { AlertSource } from '../../src/alerts/source.js';
import { timestampingSource } from '../../src/alerts/sources.js';
import { createWitnessSource } from '../../src/alerts/witness-source.js';
import type { AskWitness } from '../../src/log/witness-client.js';
import type { AuditStore } from '../../src/store/index.js';
import { newRecord } from '../store/new-record.js';
import { startTestNode, type TestNode } from '../test-node.js';

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-03-01T00:00:00Z');
const ENDPOINT = { tenantId: null, name: 'ops', url: 'https://ops.example/', secrets: [], types: null };

/** A process of a node: its own sources over the database that all share. */
type Process = (minute: number) => Promise<void>;

describe('alerts of several processes', () => {
  let node: TestNode;

  beforeEach(async () => {
    node = await startTestNode();
  });
  afterEach(() => node.close());

  const processWith =
    (source: AlertSource): Process =>
    async (minute) => {
      const { alerts } = node.store;
      const at = new Date(START_MS + minute * MINUTE_MS);
      await observeAll({ alerts, sources: [source], logger: silentLogger() }, async () => [ENDPOINT], at);
    };
  /** Minute, status and subject of each message so far. */
  const messages = async (): Promise<readonly string[]> =>
    (await node.store.alerts.deliveries(0, 1000)).map(({ payload, createdMs }) => {
      const { data } = JSON.parse(payload) as { readonly data: Readonly<Record<string, string>> };
      return [(createdMs - START_MS) / MINUTE_MS, data['status'], data['subject']].join(' ').trimEnd();
    });
  /** Every process looks once per minute. */
  const run = async (from: number, to: number, ...processes: readonly Process[]): Promise<void> => {
    for (let minute = from; minute < to; minute += 1) for (const one of processes) await one(minute);
  };

  describe('about the audit log', () => {
    let rows: (row: Awaited<ReturnType<AuditStore['after']>>[number]) => boolean;
    let text: (entryJson: string) => string;
    let onRead: () => void;

    beforeEach(async () => {
      [rows, text, onRead] = [() => true, (entryJson) => entryJson, () => undefined];
      await append();
      await append();
    });

    const append = () =>
      node.deps.auditLog.append({ act: 'records.hide', target: null, actor: 'a', requestId: null, details: {} });
    /** The log as an intruder in the database leaves it. */
    const audit = (): AuditStore => {
      const stored = node.store.audit;
      const after = async (seq: number, limit: number) => {
        onRead();
        const found = await stored.after(seq, limit);
        return found.filter((row) => rows(row)).map((row) => ({ ...row, entryJson: text(row.entryJson) }));
      };
      return { append: (row) => stored.append(row), last: async () => (await after(0, 1000)).at(-1) ?? null, after };
    };
    const checker = (signal = new AbortController().signal): Process =>
      processWith(auditSource({ audit: audit(), signing: node.deps.signing, signal }));
    const spoil = (entryJson: string): string => entryJson.replace('hide', 'show');

    it('are not ended by a process that looked before', async () => {
      const [first, second] = [checker(), checker()];
      await run(0, 30, first);
      text = spoil;
      await run(30, 200, second, first);
      expect(await messages()).toEqual(['30 firing']);
    });

    it('are ended once by a process that looked since', async () => {
      const [first, second] = [checker(), checker()];
      await run(0, 30, first);
      text = spoil;
      await run(30, 40, second, first);
      text = (entryJson) => entryJson;
      await run(40, 200, second, first);
      expect(await messages()).toEqual(['30 firing', '60 resolved']);
    });

    it('of a shortened log are ended by no process that cannot know', async () => {
      const [first, second] = [checker(), checker()];
      await run(0, 30, first);
      await run(30, 40, first, second);
      rows = ({ seq }) => seq < 2;
      await run(40, 100, first, second);
      // One restarts, and a third one starts.
      await run(100, 300, checker(), second, checker());
      expect(await messages()).toEqual(['60 firing entry 2']);
      rows = () => true;
      await run(300, 500, checker(), second);
      expect(await messages()).toEqual(['60 firing entry 2', '330 resolved entry 2']);
    });

    it('are not ended by a check that is interrupted', async () => {
      const stopping = new AbortController();
      const only = checker(stopping.signal);
      text = spoil;
      await run(0, 60, only);
      onRead = () => {
        stopping.abort();
      };
      await run(60, 70, only);
      expect(await messages()).toEqual(['0 firing']);
    });
  });

  describe('about missing timestamps', () => {
    const metaJson = JSON.stringify({ attestation: { receipt: {}, signature: 'AA' } });
    const wait = (members = { metaJson }) => node.store.records.recordOnce(newRecord(members));
    const stamp = async (): Promise<void> => {
      const [waits] = await node.store.timestamps.untimestamped(0, 1);
      if (waits === undefined) throw new Error('no record waits');
      await node.store.timestamps.keep([{ ...waits, asRead: waits }], new Date(START_MS).toISOString());
    };
    const watcher = (): Process => processWith(timestampingSource(node.store));

    it('are not ended by a process that was restarted', async () => {
      await wait();
      const first = watcher();
      await run(0, 20, first, watcher());
      await run(20, 60, watcher(), first);
      await run(60, 100, watcher(), watcher());
      expect(await messages()).toEqual(['10 firing']);
    });

    it('are ended once, also by a process that was restarted', async () => {
      await wait();
      await wait();
      await run(0, 20, watcher());
      const restarted = watcher();
      await run(20, 25, restarted);
      await stamp();
      await run(25, 30, restarted, watcher());
      expect(await messages()).toEqual(['10 firing', '25 resolved']);
    });

    it('are not ended by the recertification of an earlier record', async () => {
      await wait();
      await wait();
      const [first] = await node.store.timestamps.untimestamped(0, 1);
      await stamp();
      const only = watcher();
      await run(0, 20, only);
      await node.database.query(`update records set stamped_at = null where seq = ${first?.seq}`);
      await run(20, 40, only);
      expect(await messages()).toEqual(['10 firing']);
      await stamp();
      await run(40, 45, only);
      expect(await messages()).toEqual(['10 firing', '40 resolved']);
    });

    it.each([
      ['one record', 1],
      ['more records than a turn passes', 20],
    ])('are seen behind %s that cannot be timestamped', async (_case, count) => {
      for (let broken = 0; broken < count; broken += 1) await wait({ metaJson: '{"attestation":' });
      await run(0, 30, watcher(), watcher());
      expect(await messages()).toEqual([]);
      const processes = [watcher(), watcher()];
      await run(30, 32, ...processes);
      await wait();
      await run(32, 50, ...processes);
      const [firing, ...others] = await messages();
      expect([firing, ...others]).toEqual([expect.stringMatching(/^4[2-4] firing$/)]);
      const [fine] = await node.database.query('select max(seq) as seq from records');
      await node.database.query(`update records set stamped_at = '2026' where seq = ${String(fine?.['seq'])}`);
      await run(50, 60, ...processes);
      expect(await messages()).toEqual([firing, expect.stringMatching(/^5[0-2] resolved$/)]);
    });

    it('are seen behind a record whose public form is broken', async () => {
      await node.store.records.recordOnce(newRecord({ metaJson, publicCerJson: '{"meta":' }));
      await run(0, 30, watcher());
      expect(await messages()).toEqual([]);
    });
  });

  describe('about silent witnesses', () => {
    type Answer = Awaited<ReturnType<AskWitness>>;
    const GOOD: Answer = { status: 'cosigned', lines: [] };
    const BAD: Answer = { status: 'later', reason: 'TimeoutError' };

    /** A process that asks the witness in some minutes only. */
    const asker = (answerAt: (minute: number) => Answer | null): Process => {
      let minute = 0;
      let answer: Answer = GOOD;
      const source = createWitnessSource(() => new Date(START_MS + minute * MINUTE_MS));
      const ask = source.listening(async () => answer);
      const look = processWith(source);
      return async (at) => {
        minute = at;
        const next = answerAt(at);
        if (next !== null) {
          answer = next;
          await ask({ name: 'one' } as PolicyWitness, { oldSize: 0, proof: [], note: '' });
        }
        await look(at);
      };
    };

    it('are not ended by a process that asked before', async () => {
      const first = asker((minute) => (minute === 0 ? GOOD : null));
      const second = asker((minute) => (minute === 0 || minute % 5 > 0 ? null : minute < 60 ? BAD : GOOD));
      await run(0, 100, second, first);
      expect(await messages()).toEqual(['21 firing one', '60 resolved one']);
    });

    it('are not ended by a process that has just begun to ask', async () => {
      const first = asker((minute) => (minute % 5 > 0 ? null : minute < 60 ? BAD : GOOD));
      const restarted = asker((minute) => (minute < 25 || minute % 5 > 0 ? null : minute < 60 ? BAD : GOOD));
      await run(0, 100, first, restarted);
      expect(await messages()).toEqual(['16 firing one', '60 resolved one']);
    });

    it('are no matter of one failure after another process asked', async () => {
      const first = asker((minute) => (minute === 0 ? GOOD : minute === 121 ? BAD : null));
      const second = asker((minute) => (minute > 0 && minute % 5 === 0 ? GOOD : null));
      await run(0, 130, first, second);
      expect(await messages()).toEqual([]);
    });
  });
});
