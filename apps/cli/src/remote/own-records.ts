import { rmSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeKeySet } from '@cer/keys';
import type { LogPolicy } from '@cer/tlog';
import { checkPackage, type PackageVerification } from '../audit-package/check-package.js';
import type { TenantHead } from '../audit-package/log-completeness.js';
import { DEFAULT_LIMITS } from '../audit-package/package-limits.js';
import { EXIT } from '../exit-code.js';
import { DEFAULT_MAX_BYTES } from '../files/read-bytes.js';
import type { Io } from '../io.js';
import { recordsExportCommand } from './records-export.js';
import type { KeyMaterial } from '../trusted-keys/key-material.js';
import type { Alarm, AlarmCode } from '../log/alarm.js';
import type { PinnedLogPolicy } from '../log/log-policy.js';

/** The account whose records are compared with the log. */
export interface OwnAccount {
  readonly node: string;
  readonly apiKeyFile: string;
  readonly origin: string;
  readonly keys: KeyMaterial | null;
  readonly logPolicy: PinnedLogPolicy;
  readonly known: TenantHead | null;
}

export interface OwnRecords {
  readonly alarms: readonly Alarm[];
  /** To be extended by the next check; null when the log proves nothing. */
  readonly head: TenantHead | null;
}

/**
 * Downloads all records of an account and compares them with the log: each record has its leaf, each leaf its record,
 * and the tree of the tenant extends the one of the check before.
 */
export async function checkOwnRecords(account: OwnAccount, io: Io): Promise<OwnRecords> {
  const folder = await mkdtemp(join(tmpdir(), 'cer-log-'));
  const takeBack = io.onInterrupt(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    const path = join(folder, 'package.zip');
    const fault = await download(path, account, io);
    if (fault !== null)
      return { alarms: [{ code: 'LOG_UNAVAILABLE', origin: account.origin, detail: fault }], head: null };
    return judge(await verify(path, account, io), account.origin);
  } finally {
    await rm(folder, { recursive: true, force: true });
    takeBack();
  }
}

/** @returns why there is no package, or null */
async function download(path: string, { node, apiKeyFile }: OwnAccount, io: Io): Promise<string | null> {
  let said = '';
  const quiet = { write: (text: string) => void (said += text), isTerminal: false, columns: undefined };
  const args = ['--out', path, '--node', node, '--api-key-file', apiKeyFile];
  const code = await recordsExportCommand.run(args, { ...io, stdout: quiet, stderr: quiet });
  return code === EXIT.verified ? null : `the records of the account cannot be downloaded: ${said.trim()}`;
}

async function verify(path: string, account: OwnAccount, io: Io): Promise<PackageVerification> {
  const { keys, logPolicy, known } = account;
  const keySet: NodeKeySet | null = keys?.keySet ?? null;
  const policy: LogPolicy = logPolicy.policy;
  const file = await open(path, 'r');
  try {
    return await checkPackage(file, {
      trust: { keySet, nodeId: null },
      limits: DEFAULT_LIMITS,
      logPolicy: policy,
      ...(known !== null && { tenantHead: known }),
      requireLog: false,
      settings: {
        keyDocument: keys?.document ?? null,
        revocationsKnownUntil: keys?.voucher?.revocationsKnownUntil ?? null,
        tsaRootsPem: null,
        logPolicyText: logPolicy.text,
        requireLog: false,
        nodeId: null,
        requireAttestation: true,
        maxBytes: DEFAULT_MAX_BYTES,
        verifiedAt: io.now().toISOString(),
      },
      onProgress: { start: () => undefined, advance: () => undefined },
    });
  } finally {
    await file.close();
  }
}

function judge({ findings, log }: PackageVerification, origin: string): OwnRecords {
  const alarms = findings.flatMap(({ code, entry, detail }): Alarm[] =>
    isAlarmCode(code) ? [{ code, origin, detail: `${entry}: ${detail}` }] : [],
  );
  if (log.status === 'absent') {
    const detail = 'the package of the account holds no openings of the log';
    return { alarms: [...alarms, { code: 'LOG_UNAVAILABLE', origin, detail }], head: null };
  }
  return { alarms, head: alarms.length === 0 ? log.head : null };
}

const OWN_CODES: ReadonlySet<string> = new Set<AlarmCode>([
  'LOG_TENANT_FORK',
  'LOG_RECORD_UNLOGGED',
  'LOG_RECORD_MISSING',
  'LOG_BACKDATED',
  'LOG_RANGE_INVALID',
  'LOG_EPOCH_INVALID',
  'LOG_HEAD_INVALID',
  'LOG_TENANT_MISMATCH',
]);

function isAlarmCode(code: string): code is AlarmCode {
  return OWN_CODES.has(code);
}
