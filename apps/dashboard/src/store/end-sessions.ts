import type { Knex } from 'knex';

/**
 * Signs a user out everywhere. Sessions that a handoff began elsewhere end too, by the time that is noted.
 * @param kept hash of the token of a session here that stays
 */
export async function endSessions(db: Knex, userId: string, at: Date, kept?: string): Promise<void> {
  // First: a sign-in changes this row before it adds a session.
  await db('users').where({ user_id: userId }).update({ sessions_ended_at: at.toISOString() });
  const sessions = db('sessions').where({ user_id: userId });
  await (kept === undefined ? sessions : sessions.whereNot({ token_hash: kept })).delete();
}
