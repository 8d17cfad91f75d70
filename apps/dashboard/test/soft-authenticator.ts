import { createHash, randomBytes, sign, type KeyObject } from 'node:crypto';
import { newKeyPair } from '@cer/http-service/process';

const [UP, UV, AT] = [0x01, 0x04, 0x40];

export interface Answering {
  readonly origin: string;
  readonly rpId: string;
  readonly challenge: string;
}

export interface SoftOptions {
  /** False: the authenticator does not ask for a fingerprint or PIN. */
  readonly verifiesUser?: boolean;
  /** Steps of the counter per signature; 0: no counter. */
  readonly counts?: number;
}

/** An authenticator in software with one discoverable credential (WebAuthn, ES256), as `assets/passkeys.js` reports it. */
export class SoftAuthenticator {
  readonly credentialId = randomBytes(32);
  counter = 0;
  userHandle = '';
  readonly #privateKey: KeyObject;
  readonly #coseKey: Buffer;
  readonly #flags: number;
  readonly #counts: number;

  constructor({ verifiesUser = true, counts = 1 }: SoftOptions = {}) {
    const { privateKey, publicKey } = newKeyPair('ec');
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#privateKey = privateKey;
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    this.#coseKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    this.#flags = UP | (verifiesUser ? UV : 0);
    this.#counts = counts;
  }

  get id(): string {
    return this.credentialId.toString('base64url');
  }

  /** @param statement format and statement of the attestation, CBOR; none by default */
  create(asked: Answering, userId: string, statement?: { readonly format: string; readonly cbor: Buffer }): string {
    this.userHandle = userId;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const credential = [Buffer.alloc(16), length, this.credentialId, this.#coseKey];
    const data = Buffer.concat([this.#data(asked.rpId, AT), ...credential]);
    const { format = 'none', cbor = Buffer.from([0xa0]) } = statement ?? {};
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText(format), cborText('attStmt'), cbor, cborText('authData')],
      ...[Buffer.from([0x58, data.length]), data],
    ]);
    return JSON.stringify({
      id: this.id,
      response: {
        clientDataJSON: clientData('webauthn.create', asked).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    });
  }

  get(asked: Answering): string {
    this.counter += this.#counts;
    const data = this.#data(asked.rpId, 0);
    const client = clientData('webauthn.get', asked);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return JSON.stringify({
      id: this.id,
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
        userHandle: Buffer.from(this.userHandle).toString('base64url'),
      },
    });
  }

  #data(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([this.#flags | flags]), counter]);
  }
}

function clientData(type: string, { origin, challenge }: Answering): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** Of at most 23 bytes. */
export function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}
