import type { Database } from '@cer/sql-store';
import { appendAct } from './account-acts.js';
import { removeAuthenticator } from './authenticators.js';
import { endSessions } from './end-sessions.js';
import type { Actor } from './ports/index.js';
import type { Person, SignInStore } from './ports/sign-in.js';

/** All ways of signing in of one user together. */
export class SqlSignInStore implements SignInStore {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.#database = database;
    this.#now = now;
  }

  async reset({ userId, tenantId, email }: Person, actor: Actor): Promise<void> {
    await this.#database.transaction(async (db) => {
      const at = this.#now();
      // First: a session that adds a way of signing in changes the same row before.
      await endSessions(db, userId, at);
      await removeAuthenticator(db, userId);
      await db('passkeys').where({ user_id: userId }).delete();
      await appendAct(db, { tenantId, act: 'sign-in reset', subject: email, actor, at });
    });
  }

  async isLinked(userId: string): Promise<boolean> {
    const identities = await this.#database.run(async (db) =>
      db('identities').where({ user_id: userId }).limit(1).select('user_id'),
    );
    return identities.length > 0;
  }
}
