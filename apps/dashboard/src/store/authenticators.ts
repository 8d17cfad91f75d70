import type { Database } from '@cer/sql-store';
import type { Knex } from 'knex';
import { appendAct } from './account-acts.js';
import { endSessions, isStillSignedIn } from './end-sessions.js';
import type { ActName } from './ports/index.js';
import type {
  Authenticator,
  AuthenticatorStore,
  Person,
  SignedInPerson,
  StoredSecret,
  UsedChallenge,
} from './ports/sign-in.js';
import { useForm } from './used-challenges.js';

interface AuthenticatorRow {
  readonly user_id: string;
  readonly key_id: string;
  readonly sealed_secret: string;
  readonly added_at: string;
  /** PostgreSQL returns a 64-bit number as text. */
  readonly last_step: number | string;
}

/** Authenticator apps of users, and their recovery codes. Secrets are sealed, codes are hashes. */
export class SqlAuthenticatorStore implements AuthenticatorStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async find(userId: string): Promise<Authenticator | null> {
    return this.#database.run(async (db) => {
      const row = await db<AuthenticatorRow>('authenticators').where({ user_id: userId }).first();
      if (row === undefined) return null;
      const codes = await db('recovery_codes').where({ user_id: userId }).select('code_hash');
      return { ...secretOf(row), addedAt: row.added_at, recoveryCodesLeft: codes.length };
    });
  }

  async add(
    person: SignedInPerson,
    secret: StoredSecret,
    step: number,
    recoveryHashes: readonly string[],
  ): Promise<boolean> {
    const { userId } = person;
    return this.#database.transaction(async (db) => {
      if (!(await isStillSignedIn(db, person))) return false;
      const added = await db<AuthenticatorRow>('authenticators')
        .insert({
          ...{ user_id: userId, key_id: secret.keyId, sealed_secret: secret.sealed },
          ...{ added_at: this.#now().toISOString(), last_step: step },
        })
        .onConflict('user_id')
        .ignore()
        .returning('user_id');
      if (added.length === 0) return false;
      await insertCodes(db, userId, recoveryHashes);
      await endSessions(db, userId, this.#now());
      await this.#note(db, person, 'authenticator added');
      return true;
    });
  }

  async useStep(userId: string, step: number): Promise<boolean> {
    const used = await this.#database.run(async (db) =>
      db('authenticators').where({ user_id: userId }).where('last_step', '<', step).update({ last_step: step }),
    );
    return used === 1;
  }

  async useRecoveryCode(person: Person, codeHash: string): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      const used = await db('recovery_codes').where({ user_id: person.userId, code_hash: codeHash }).delete();
      if (used === 0) return false;
      await this.#note(db, person, 'recovery code used');
      return true;
    });
  }

  async replaceRecoveryCodes(person: Person, hashes: readonly string[], form?: UsedChallenge): Promise<boolean> {
    const { userId } = person;
    return this.#database.transaction(async (db) => {
      await useForm(db, form);
      // Concurrent changes of the codes wait for this row, so that each sees the codes of the one before.
      const locked = await db('authenticators').where({ user_id: userId }).update({ user_id: userId });
      if (locked === 0) return false;
      await db('recovery_codes').where({ user_id: userId }).delete();
      await insertCodes(db, userId, hashes);
      await this.#note(db, person, 'recovery codes made');
      return true;
    });
  }

  async remove(person: Person): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      if (!(await removeAuthenticator(db, person.userId))) return false;
      await this.#note(db, person, 'authenticator removed');
      return true;
    });
  }

  async keyIds(): Promise<readonly string[]> {
    const rows = await this.#database.run(async (db) => db<AuthenticatorRow>('authenticators').distinct('key_id'));
    return rows.map(({ key_id: keyId }) => keyId);
  }

  async resealAll(
    keyId: string,
    reseal: (userId: string, secret: StoredSecret) => StoredSecret | null,
  ): Promise<number> {
    const rows = await this.#database.run(async (db) =>
      db<AuthenticatorRow>('authenticators').whereNot({ key_id: keyId }).select(),
    );
    let changed = 0;
    for (const row of rows) {
      const renewed = reseal(row.user_id, secretOf(row));
      if (renewed === null) continue;
      // Only the secret that was read: another may have taken its place.
      changed += await this.#database.run(async (db) =>
        db('authenticators')
          .where({ user_id: row.user_id, sealed_secret: row.sealed_secret })
          .update({ key_id: renewed.keyId, sealed_secret: renewed.sealed }),
      );
    }
    return changed;
  }

  #note(db: Knex, { tenantId, email }: Person, act: ActName): Promise<void> {
    return appendAct(db, { tenantId, act, subject: email, actor: email, at: this.#now() });
  }
}

/** Runs in a transaction. @returns false when there is none */
export async function removeAuthenticator(db: Knex, userId: string): Promise<boolean> {
  const removed = await db('authenticators').where({ user_id: userId }).delete();
  await db('recovery_codes').where({ user_id: userId }).delete();
  return removed === 1;
}

function secretOf({ key_id: keyId, sealed_secret: sealed }: AuthenticatorRow): StoredSecret {
  return { keyId, sealed };
}

async function insertCodes(db: Knex, userId: string, hashes: readonly string[]): Promise<void> {
  await db('recovery_codes').insert(hashes.map((code_hash) => ({ user_id: userId, code_hash })));
}
