import type { Database } from '@cer/sql-store';
import { appendAct } from './account-acts.js';
import { endSessions, isStillSignedIn } from './end-sessions.js';
import { storedTexts, userOf, type UserRow } from './rows.js';
import type { User } from './ports/index.js';
import type { NewPasskey, Passkey, PasskeyStore, Person, SignedInPerson, UsedChallenge } from './ports/sign-in.js';
import { useChallenge } from './used-challenges.js';

interface PasskeyRow {
  readonly credential_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly public_key: string;
  /** PostgreSQL returns a 64-bit number as text. */
  readonly counter: number | string;
  readonly transports_json: string;
  readonly added_at: string;
  readonly last_used_at: string | null;
}

/** Passkeys of users, and the challenges that were answered. */
export class SqlPasskeyStore implements PasskeyStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async add(person: SignedInPerson, passkey: NewPasskey, challenge: UsedChallenge): Promise<boolean> {
    const at = this.#now();
    const { credentialId, name, publicKey, counter, transports } = passkey;
    const { userId, tenantId, email } = person;
    return this.#database.transaction(async (db) => {
      if (!(await isStillSignedIn(db, person))) return false;
      if (!(await useChallenge(db, challenge))) return false;
      const added = await db('passkeys')
        .insert({
          ...{ credential_id: credentialId, user_id: userId, name, public_key: publicKey, counter },
          ...{ transports_json: JSON.stringify(transports), added_at: at.toISOString() },
        })
        .onConflict('credential_id')
        .ignore()
        .returning('user_id');
      if (added.length === 0) return false;
      await appendAct(db, { tenantId, act: 'passkey added', subject: name, actor: email, at });
      return true;
    });
  }

  async list(userId: string): Promise<readonly Passkey[]> {
    const rows = await this.#database.run((db) =>
      db<PasskeyRow>('passkeys').where({ user_id: userId }).orderBy(['added_at', 'credential_id']).select(),
    );
    return rows.map(passkeyOf);
  }

  async find(credentialId: string): Promise<{ readonly passkey: Passkey; readonly user: User } | null> {
    return this.#database.run(async (db) => {
      const row = await db<PasskeyRow>('passkeys').where({ credential_id: credentialId }).first();
      if (row === undefined) return null;
      const user = await db<UserRow>('users').where({ user_id: row.user_id }).first();
      return user === undefined ? null : { passkey: passkeyOf(row), user: userOf(user) };
    });
  }

  async use(credentialId: string, counter: number, challenge: UsedChallenge): Promise<boolean> {
    return this.#database.transaction(async (db) => {
      if (!(await useChallenge(db, challenge))) return false;
      const used = await db('passkeys')
        .where({ credential_id: credentialId })
        .where((rising) => {
          void rising.where('counter', '<', counter);
          // An authenticator without a counter states 0 each time.
          if (counter === 0) void rising.orWhere('counter', 0);
        })
        .update({ counter, last_used_at: this.#now().toISOString() });
      return used === 1;
    });
  }

  async remove({ userId, tenantId, email }: Person, credentialId: string, kept: string): Promise<boolean> {
    const at = this.#now();
    return this.#database.transaction(async (db) => {
      const [removed] = await db<PasskeyRow>('passkeys')
        .where({ user_id: userId, credential_id: credentialId })
        .update({ user_id: userId })
        .returning('name');
      if (removed === undefined) return false;
      await db('passkeys').where({ credential_id: credentialId }).delete();
      await endSessions(db, userId, at, (sessions) => sessions.whereNot({ token_hash: kept }));
      await appendAct(db, { tenantId, act: 'passkey removed', subject: removed.name, actor: email, at });
      return true;
    });
  }
}

function passkeyOf(row: PasskeyRow): Passkey {
  return {
    credentialId: row.credential_id,
    userId: row.user_id,
    name: row.name,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: storedTexts(row.transports_json),
    addedAt: row.added_at,
    lastUsedAt: row.last_used_at,
  };
}
