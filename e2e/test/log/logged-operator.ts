import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Secret } from '@cer/http-service/config';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { run } from '../../../apps/cli/src/run.js';
import { ask } from '../../../apps/node/test/ask.js';
import { loggingNode, type LoggingNode, type LoggingOptions } from '../../../apps/node/test/log/logging-node.js';
import { until } from '../../../apps/node/test/timestamps/timestamping-node.js';
import { startWitnessProcess, type WitnessProcess } from './witness-process.js';

const ADMIN_SECRET = 'secret of the test administrator';

/** The output of a command. */
export interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An account of the node. */
export interface Account {
  readonly key: string;
  readonly keyFile: string;
}

/** A node with a log and a real witness, its database, and commands of the people who watch it. */
export class LoggedOperator {
  readonly folder = mkdtempSync(join(tmpdir(), 'cer-operator-'));
  readonly policyFile = join(this.folder, 'policy-of-readers.txt');
  /** Lead of the node's clock, in ms. */
  aheadMs = 0;
  #parts: { node: LoggingNode; witness: WitnessProcess; database: TestDatabase } | null = null;
  #files = 0;

  /** Begins the log at this time of the node's clock, and starts node and witness. */
  async open({ replace }: Pick<LoggingOptions, 'replace'> = {}): Promise<void> {
    const database = await sqliteTestDatabase();
    const shared = { database, keysFolder: this.folder, now: () => new Date(Date.now() + this.aheadMs) };
    const first = await loggingNode({ ...shared, isNewFolder: true });
    const logs = first.policy('');
    await first.close();
    const vkeys = logs.split('\n').flatMap((line) => (line === '' ? [] : [line.slice('log '.length)]));
    const witness = await startWitnessProcess(this.folder, vkeys);
    const adminSecret = new Secret(ADMIN_SECRET);
    const node = await loggingNode({
      ...{ ...shared, policy: witness.line, adminSecret },
      ...(replace !== undefined && { replace }),
    });
    writeFileSync(this.policyFile, node.policy(witness.line));
    this.#parts = { node, witness, database };
  }

  get node(): LoggingNode {
    return this.#opened.node;
  }

  get url(): string {
    return this.node.node.url;
  }

  get database(): TestDatabase {
    return this.#opened.database;
  }

  get #opened(): { node: LoggingNode; witness: WitnessProcess; database: TestDatabase } {
    if (this.#parts === null) throw new Error('the operator is not open');
    return this.#parts;
  }

  /** The line of the witness in policies. */
  get witnessLine(): string {
    return this.#opened.witness.line;
  }

  /** A copy of the database as it is now. */
  async copy(): Promise<TestDatabase> {
    const copy = await sqliteTestDatabase();
    mkdirSync(dirname(copy.path));
    await this.database.query(`vacuum into '${copy.path}'`);
    return copy;
  }

  /** A node on a copy of the database, with the keys of the log. */
  async fork(database: TestDatabase, policy: string): Promise<LoggingNode> {
    return await loggingNode({ database, keysFolder: this.folder, policy });
  }

  async account(): Promise<Account> {
    const key = await this.node.node.newKey();
    return { key, keyFile: this.write('key', key) };
  }

  write(name: string, text: string): string {
    this.#files += 1;
    const path = join(this.folder, `${String(this.#files)}-${name}`);
    writeFileSync(path, text);
    return path;
  }

  async delete(hash: string): Promise<void> {
    await this.#administer(`records/${encodeURIComponent(hash)}/delete`);
  }

  async recertify(hash: string): Promise<void> {
    await this.#administer('recertify-batch', { certificateHashes: [hash] });
  }

  async #administer(act: string, body?: object): Promise<void> {
    const headers = { 'X-Admin-Secret': ADMIN_SECRET };
    const answer = await ask(this.node.node, 'post', `/v1/admin/${act}`, { headers, body });
    if (answer.status !== 200) throw new Error(`${act} was answered ${String(answer.status)}`);
  }

  /** Sequences and publishes until an epoch that covers all leaves is published. */
  async integrate(): Promise<void> {
    const worker = this.node.start();
    const { store } = this.node.node;
    const { receipts, epochs } = this.node.setup.log;
    await until(
      async () => {
        const [head, note, epochNote] = await Promise.all([
          store.log.head(receipts.logId),
          store.logNotes.newestPublished(receipts.logId),
          store.logNotes.newestPublished(epochs.logId),
        ]);
        const open = await this.database.query(
          `select (select count(*) from log_leaves where log_index is null) + (select count(*) from log_deletions where done = 0) as n`,
        );
        const count = (await store.log.head(epochs.logId)).size;
        const [last] = count === 0 ? [] : await store.logEpochs.epochs(epochs.logId, count - 1, count);
        const covered = last === undefined ? -1 : sizeIn(last.entry);
        return (
          Number(open[0]?.['n']) === 0 && note?.size === head.size && epochNote?.size === count && covered === head.size
        );
      },
      (isDone) => isDone,
    );
    await worker.stop();
  }

  /** Sequences and publishes what is there, without an epoch of it. */
  async publish(size: number): Promise<void> {
    const worker = this.node.start();
    const { logId } = this.node.setup.log.receipts;
    await until(
      async () => (await this.node.node.store.logNotes.newestPublished(logId))?.size ?? 0,
      (found) => found >= size,
    );
    await worker.stop();
  }

  /** A command of the reader, with fresh state unless a folder is given. */
  async cer(args: readonly string[], state = join(this.folder, `state-${randomUUID()}`)): Promise<Said> {
    const said = { stdout: '', stderr: '' };
    const output = (name: 'stdout' | 'stderr') => ({
      write: (text: string) => void (said[name] += text),
      isTerminal: false,
      columns: undefined,
    });
    const exitCode = await run(args, {
      stdin: nothing(),
      stdout: output('stdout'),
      stderr: output('stderr'),
      env: { XDG_STATE_HOME: state },
      now: () => new Date(),
      randomId: randomUUID,
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      onInterrupt: () => () => undefined,
      untilInterrupted: () => Promise.resolve(),
    });
    return { exitCode, ...said };
  }

  /** Codes of alarms of a monitor; with an account also of its records. */
  async alarms(account: Account | null = null, state?: string): Promise<string[]> {
    const own = account === null ? [] : ['--api-key-file', account.keyFile, '--keys', this.url];
    const args = ['log', 'monitor', this.url, '--log-policy', this.policyFile, ...own];
    const { exitCode, stdout } = await this.cer(args, state);
    const codes = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { code: string }).code);
    if ((exitCode === 0) !== (codes.length === 0)) throw new Error('exit code and alarms differ');
    return [...new Set(codes)];
  }

  /** The audit package of an account, verified: its report. */
  async package({ keyFile }: Account, ...filters: readonly string[]): Promise<PackageReport> {
    const path = join(this.folder, `${randomUUID()}.zip`);
    const talk = ['--node', this.url, '--api-key-file', keyFile];
    const saved = await this.cer(['records', 'export', '--out', path, ...talk, ...filters]);
    if (saved.exitCode !== 0) throw new Error(saved.stderr);
    const pins = ['--keys', this.url, '--log-policy', this.policyFile];
    const text = await this.cer(['verify-package', path, ...pins]);
    const json = await this.cer(['verify-package', path, ...pins, '--json']);
    const report = JSON.parse(json.stdout) as Omit<PackageReport, 'text'>;
    return { ...report, text: text.stdout.replace(/\s+/g, ' ') };
  }

  /** A verifier's report on a public record and the proof that the node returns with it. */
  async holder(hash: string, account: Account | null = null): Promise<unknown> {
    const pins = ['--keys', this.url, '--log-policy', this.policyFile, '--json'];
    if (account === null) {
      const { stdout } = await this.cer(['verify', '--hash', hash, '--node', this.url, ...pins]);
      return (JSON.parse(stdout) as { transparency: unknown }).transparency;
    }
    const fetched = await this.cer(['log', 'proof', hash, '--node', this.url, '--api-key-file', account.keyFile]);
    const record = await ask(this.node.node, 'get', `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`);
    // Only the proof for the owner, which shows the label.
    const { logProofs, ...rest } = record.body as Record<string, unknown>;
    const bundle = JSON.stringify(rest).replaceAll(JSON.stringify(logProofs), '[]');
    const proof = this.write('proof.json', fetched.stdout);
    const args = ['verify', this.write('record.json', bundle), '--log-proof', proof, ...pins];
    return (JSON.parse((await this.cer(args)).stdout) as { transparency: unknown }).transparency;
  }

  /** Changes tables without the node, runs the checks, and restores everything. */
  async whileChanged(tables: readonly string[], sql: string, look: () => Promise<void>): Promise<void> {
    const { query } = this.database;
    for (const table of tables) await query(`create table saved_${table} as select * from ${table}`);
    try {
      await query(sql);
      await look();
    } finally {
      for (const table of tables) {
        await query(`delete from ${table}`);
        await query(`insert into ${table} select * from saved_${table}`);
        await query(`drop table saved_${table}`);
      }
    }
  }

  /** Drops the triggers that protect the tables of the log, as an operator can. */
  async dropTriggers(): Promise<void> {
    const { query } = this.database;
    const triggers = await query(`select name from sqlite_master where type = 'trigger'`);
    for (const { name } of triggers) await query(`drop trigger ${String(name)}`);
  }

  async close(): Promise<void> {
    await this.#parts?.node.close();
    await this.#parts?.witness.stop();
    await this.#parts?.database.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The members of `cer verify-package --json` that tests read. */
export interface PackageReport {
  readonly status: string;
  readonly findings: readonly { readonly code: string; readonly entry: string }[];
  readonly log: Readonly<Record<string, unknown>>;
  /** The report for people, on one line. */
  readonly text: string;
}

function sizeIn(entry: Uint8Array): number {
  return (JSON.parse(new TextDecoder().decode(entry)) as { log: { size: number } }).log.size;
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A command that reads standard input finds it empty.
}
