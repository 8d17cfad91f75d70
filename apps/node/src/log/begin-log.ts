import { toSpkiBase64 } from '@cer/keys';
import { EPOCHS_SUFFIX } from '@cer/tlog/epoch';
import type { SigningKeyHolder } from '../signing/key-holder.js';
import type { LogRole, LogRow, LogStore } from '../store/index.js';
import { noteKeyOfLog, type OpenedLog, type OpenedLogs } from './opened-log.js';

const ROLES: readonly (readonly [role: LogRole, suffix: string])[] = [
  ['receipts', ''],
  ['epochs', EPOCHS_SUFFIX],
];

/**
 * Begins both logs of an origin, each with its own new key.
 * @returns false when a log is open, or an earlier one had this origin
 */
export async function beginLog(
  store: Pick<LogStore, 'begin'>,
  origin: string,
  holder: SigningKeyHolder,
  now: Date,
): Promise<boolean> {
  const rows = await Promise.all(
    ROLES.map(async ([role, suffix]) => {
      const { publicKey, reference } = await holder.create();
      const key = { publicKey: toSpkiBase64(publicKey), holder: holder.name, reference };
      return { origin: `${origin}${suffix}`, role, since: now.toISOString(), ...key };
    }),
  );
  return await store.begin(rows);
}

/** The open log of a role; undefined without one. */
export function openRow(rows: readonly LogRow[], role: LogRole): LogRow | undefined {
  return rows.find((row) => row.role === role && row.closedJson === null);
}

/** Both logs with their keys, which are opened at their first use. */
export function openLogs(
  rows: { readonly receipts: LogRow; readonly epochs: LogRow },
  openKey: (row: LogRow) => ReturnType<SigningKeyHolder['open']>,
): OpenedLogs {
  const opened = (row: LogRow): OpenedLog => {
    let signer: ReturnType<SigningKeyHolder['open']> | null = null;
    return {
      row,
      key: noteKeyOfLog(row),
      signer: () => {
        signer ??= openKey(row).catch((error: unknown) => {
          signer = null;
          throw error;
        });
        return signer;
      },
    };
  };
  return { receipts: opened(rows.receipts), epochs: opened(rows.epochs) };
}
