import { decodeBase64, encodeBase64 } from '@cer/keys';
import type { Database } from '@cer/sql-store';
import { EMPTY_ROOT } from '@cer/tlog/merkle';
import type { Checkpoint, TreeHead } from '@cer/tlog/note';

/** Whose database it is. */
export interface Identity {
  readonly name: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** The witness's state of a log. */
export interface KnownHead extends TreeHead {
  /** The newest checkpoint with the lines of the log and the witness; null before the first cosignature. */
  readonly note: string | null;
}

/** A step from the known head of a log to a checkpoint. */
export interface Advance {
  readonly from: TreeHead;
  readonly to: Checkpoint;
  /** Seconds since 1970. */
  readonly time: number;
  /** Makes the note to keep. Called once the step is certain to be the only one from `from`. */
  readonly cosign: () => Promise<string>;
}

/** `moved`: another submission was faster. `clock-behind`: the time is before that of an earlier cosignature. */
export type AdvanceOutcome = 'stored' | 'moved' | 'clock-behind';

/** Two checkpoints of one log that contradict each other. */
export interface Evidence {
  readonly at: string;
  readonly note: string;
  readonly known: string | null;
}

/** Maximum pieces of evidence kept for one log. */
const MAX_EVIDENCE = 16;
const ONLY_ROW = { id: 1 };

interface HeadRow {
  readonly size: number;
  readonly root: string;
  readonly note: string | null;
}

/** The memory of a witness. Several processes may use one database: each step is conditional on the head before it. */
export class WitnessStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @returns null for a database that `init` did not finish */
  async identity(): Promise<Identity | null> {
    const row = await this.#database.run((db) =>
      db<{ id: number; name: string; public_key: string }>('witness').where(ONLY_ROW).first(),
    );
    return row === undefined ? null : { name: row.name, publicKey: decodeBase64(row.public_key) };
  }

  /** @returns false when the database belongs to a witness already */
  async claim({ name, publicKey }: Identity): Promise<boolean> {
    const row = { ...ONLY_ROW, name, public_key: encodeBase64(publicKey), last_time: 0 };
    const rows = await this.#database.run((db) =>
      db('witness').insert(row).onConflict('id').ignore().returning<readonly { id: number }[]>('id'),
    );
    return rows.length > 0;
  }

  /** Adds a log at size 0. A log that is stored already does not change. */
  async know(origin: string): Promise<void> {
    const row = { origin, size: 0, root: encodeBase64(EMPTY_ROOT), note: null };
    await this.#database.run(async (db) => {
      await db('logs').insert(row).onConflict('origin').ignore();
    });
  }

  /** @returns null for a log that the database does not know */
  async head(origin: string): Promise<KnownHead | null> {
    const row = await this.#database.run((db) => db<HeadRow & { origin: string }>('logs').where({ origin }).first());
    return row === undefined ? null : { size: row.size, root: decodeBase64(row.root), note: row.note };
  }

  /** Of the newest cosignature of any log, in seconds since 1970; 0 before the first. */
  async lastTime(): Promise<number> {
    const row = await this.#database.run((db) => db<{ last_time: number }>('witness').first('last_time'));
    return row?.last_time ?? 0;
  }

  /** Takes the step, or does nothing; it is on the disk before this resolves. */
  async advance({ from, to, time, cosign }: Advance): Promise<AdvanceOutcome> {
    const { origin } = to;
    return this.#database.transaction(async (transaction) => {
      const timed = await transaction('witness').where('last_time', '<=', time).update({ last_time: time });
      if (timed === 0) return 'clock-behind';
      const moved = await transaction('logs')
        .where({ origin, size: from.size, root: encodeBase64(from.root) })
        .update({ size: to.size, root: encodeBase64(to.root) });
      if (moved === 0) return 'moved';
      await transaction('logs')
        .where({ origin })
        .update({ note: await cosign() });
      return 'stored';
    });
  }

  /** Stores a checkpoint that its log signed and that contradicts the known one: each once, at most a fixed number per log. */
  async keepEvidence({ origin, size, root }: Checkpoint, { at, note, known }: Evidence): Promise<void> {
    const row = { origin, size, root: encodeBase64(root), at, note, known };
    await this.#database.run(async (db) => {
      const kept = await db('evidence').where({ origin }).count<{ rows: number }>({ rows: '*' }).first();
      if ((kept?.rows ?? 0) >= MAX_EVIDENCE) return;
      await db('evidence').insert(row).onConflict(['origin', 'size', 'root']).ignore();
    });
  }

  /** In the order in which it came. */
  async evidence(origin: string): Promise<readonly Evidence[]> {
    return this.#database.run((db) =>
      db<Evidence & { id: number; origin: string }>('evidence')
        .where({ origin })
        .orderBy('id')
        .select('at', 'note', 'known'),
    );
  }

  async ping(): Promise<void> {
    await this.#database.ping();
  }

  /** Resolves when the last write succeeded; after a failed one a row is written to find out. */
  async proveWritable(): Promise<void> {
    await this.#database.proveWritable();
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}
