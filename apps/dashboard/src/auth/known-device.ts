import { createHmac } from 'node:crypto';
import type { RequestHead } from '@cer/http-service';
import { equalSecret } from '@cer/http-service/config';
import { isRandomToken, randomToken } from '../account/random-token.js';
import { deviceValue, setDeviceCookie } from '../web/cookies.js';

const DAY_S = 24 * 60 * 60;
/** Time after its last sign-in for which a device stays known, in seconds. */
const KNOWN_S = 180 * DAY_S;

/** The account of a device, with what a sign-in proved. */
export interface DeviceAccount {
  readonly userId: string;
  readonly passwordHash: string;
  /** When the authenticator was added; null without one. */
  readonly authenticatorAddedAt: string | null;
}

/**
 * The `Set-Cookie` value by which this browser is later recognised as one that signed in to the account. It gives no
 * access: it only separates the attempts of this browser from those of strangers. The signature is made with the hash
 * of the password, which every instance reads and no client has, so that a new password ends every known device; so does
 * a new authenticator, since devices from before it proved the password alone.
 */
export function rememberDevice(account: DeviceAccount, now: Date): string {
  const device = randomToken();
  const since = Math.floor(now.getTime() / 1000);
  return setDeviceCookie(`${since}.${device}.${signatureOf(account, since, device)}`, KNOWN_S);
}

/** @returns the id of the device that sends a request when it signed in to this account before; otherwise null */
export function knownDevice(head: Pick<RequestHead, 'headers'>, account: DeviceAccount, now: Date): string | null {
  const [stated = '', device = '', signature = '', ...rest] = deviceValue(head)?.split('.') ?? [];
  if (!/^\d{1,12}$/.test(stated) || !isRandomToken(device) || rest.length > 0) return null;
  const since = Number(stated);
  const isOver = now.getTime() / 1000 - since > KNOWN_S;
  return !isOver && equalSecret(signatureOf(account, since, device), signature) ? device : null;
}

function signatureOf(
  { userId, passwordHash, authenticatorAddedAt }: DeviceAccount,
  since: number,
  device: string,
): string {
  return createHmac('sha256', `${passwordHash}${authenticatorAddedAt ?? ''}`)
    .update(`dashboard device\n${userId}\n${since}\n${device}`)
    .digest('base64url');
}
