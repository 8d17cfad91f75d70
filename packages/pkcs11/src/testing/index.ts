/** A software token for tests. scripts/test/pkcs11-token.mjs locates its module. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenAddress } from '../messages.js';

export { describeWithToken } from './describe-with-token.js';

/** A separate SoftHSM token in a temporary folder. */
export interface TestToken {
  readonly folder: string;
  readonly address: TokenAddress;
  readonly pin: string;
  /** Environment that a process needs to find it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  addToken(label: string): void;
  /** Removes the token and plugs it in again. */
  pullOut(): void;
  plugIn(): void;
  writePin(pin: string, mode?: number): void;
  remove(): void;
}

export const TOKEN_LABEL = 'cer test';
const PIN = '7391-secret-pin';

export function makeToken(): TestToken {
  const folder = mkdtempSync(join(tmpdir(), 'cer-token-'));
  const [tokens, away] = [join(folder, 'tokens'), join(folder, 'away')];
  const [pinFile, conf] = [join(folder, 'pin'), join(folder, 'softhsm.conf')];
  mkdirSync(tokens, { mode: 0o700 });
  writeFileSync(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  const environment = { ...process.env, SOFTHSM2_CONF: conf };
  const token: TestToken = {
    folder,
    address: {
      modulePath: process.env['CER_TEST_PKCS11_MODULE'] ?? '',
      token: { label: TOKEN_LABEL },
      pinFile,
    },
    pin: PIN,
    environment,
    addToken: (label) => {
      const pins = ['--pin', PIN, '--so-pin', '12345678'];
      execFileSync('softhsm2-util', ['--init-token', '--free', '--label', label, ...pins], { env: environment });
    },
    pullOut: () => {
      renameSync(tokens, away);
    },
    plugIn: () => {
      if (existsSync(tokens)) rmSync(tokens, { recursive: true });
      renameSync(away, tokens);
    },
    writePin: (pin, mode = 0o600) => {
      writeFileSync(pinFile, pin);
      chmodSync(pinFile, mode);
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
  token.addToken(TOKEN_LABEL);
  token.writePin(`${PIN}\n`);
  return token;
}
