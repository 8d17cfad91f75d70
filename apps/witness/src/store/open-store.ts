import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { OperatorError } from '@cer/http-service/process';
import type { Signer } from '@cer/keys';
import { createSingleKeyFile, openSingleKeyFile } from '@cer/keys/file-signer';
import { openDatabase } from '@cer/sql-store';
import { equalBytes } from '@cer/tlog/merkle';
import { isKeyName, noteKeyOf, type NoteKey } from '@cer/tlog/note';
import { MIGRATIONS } from './migrations.js';
import { WitnessStore } from './witness-store.js';

/** A witness whose key and memory belong together. */
export interface OpenedWitness {
  readonly store: WitnessStore;
  readonly key: NoteKey;
  readonly signer: Signer;
}

/** The database or the key cannot be used; the message says what to do. */
export class WitnessError extends OperatorError {
  override readonly name = 'WitnessError';
}

const KEY_FILE_TYPE = 'svc.witness-key-file.v1';

function keyFileOf(databaseFile: string): string {
  return `${databaseFile}.key`;
}

async function openStore(databaseFile: string): Promise<WitnessStore> {
  const { database } = await openDatabase(`sqlite:${resolve(databaseFile)}`, MIGRATIONS);
  return new WitnessStore(database);
}

/**
 * Makes the key and the database of a new witness.
 * @param name of the witness, which its key carries
 * @throws WitnessError for an invalid name or an existing database; KeyError when the key file exists or cannot be
 *   written
 */
export async function initWitness(databaseFile: string, name: string, now: Date): Promise<NoteKey> {
  if (existsSync(databaseFile)) {
    throw new WitnessError('--db: the file exists already. A witness is made once: use serve, or another file');
  }
  if (!isKeyName(name)) throw new WitnessError('--name: must be non-empty, without spaces and plus');
  const { publicKey } = createSingleKeyFile(KEY_FILE_TYPE, keyFileOf(databaseFile), now);
  const key = noteKeyOf(name, 'cosignature', publicKey.raw);
  const store = await openStore(databaseFile);
  try {
    if (!(await store.claim({ name, publicKey: publicKey.raw }))) {
      throw new WitnessError('--db: another process made a witness of this file at the same time');
    }
    return key;
  } finally {
    await store.close();
  }
}

/**
 * Opens what {@link initWitness} made. A missing or foreign database is refused: with its memory lost, the key could
 * cosign a tree that contradicts an earlier cosignature.
 * @throws WitnessError, KeyError, StoreError
 */
export async function openWitness(databaseFile: string): Promise<OpenedWitness> {
  if (!existsSync(databaseFile)) {
    throw new WitnessError(
      'The database of the witness does not exist. Without its memory its key must not sign again: make another witness ' +
        'with another name (init), and replace its key in the policies',
    );
  }
  const signer = openSingleKeyFile(KEY_FILE_TYPE, keyFileOf(databaseFile));
  const store = await openStore(databaseFile);
  try {
    const identity = await store.identity();
    if (identity === null || !equalBytes(identity.publicKey, signer.publicKey.raw)) {
      throw new WitnessError(
        'The database was not made with the key of this witness. Restore the newest copy of both, or make another witness',
      );
    }
    return { store, key: noteKeyOf(identity.name, 'cosignature', signer.publicKey.raw), signer };
  } catch (error) {
    await store.close();
    throw error;
  }
}
