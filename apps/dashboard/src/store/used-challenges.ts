import { StoreError } from '@cer/sql-store';
import type { Knex } from 'knex';
import type { UsedChallenge } from './ports/sign-in.js';

/** Runs in a transaction. @returns false when it was answered before */
export async function useChallenge(db: Knex, { challengeHash, expiresAt }: UsedChallenge): Promise<boolean> {
  const used = await db('used_challenges')
    .insert({ challenge_hash: challengeHash, expires_at: expiresAt.toISOString() })
    .onConflict('challenge_hash')
    .ignore()
    .returning('challenge_hash');
  return used.length === 1;
}

/** Runs in a transaction. @throws StoreError STORE_ROW_REFUSED for a form that was sent before */
export async function useForm(db: Knex, form: UsedChallenge | undefined): Promise<void> {
  if (form !== undefined && !(await useChallenge(db, form))) {
    throw new StoreError('STORE_ROW_REFUSED', 'the form was sent before');
  }
}
