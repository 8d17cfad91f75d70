import { type KeyObject } from 'node:crypto';
import { newKeyPair } from '@cer/http-service/process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that gives out the id token that a test made. */
export interface ForgingProvider {
  readonly issuer: string;
  /** Its key, `one` in its key set, for RS256. */
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The next id token. */
  idToken: string;
  /** Requests to addresses that no provider has. */
  readonly strayRequests: string[];
  readonly close: () => void;
}

export async function startForgingProvider(): Promise<ForgingProvider> {
  const { privateKey, publicKey } = newKeyPair('rsa');
  const server = createServer(({ url = '' }, response) => {
    const answer = (value: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (url === '/.well-known/openid-configuration') {
      answer({
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'] },
      });
    } else if (url === '/jwks') {
      answer({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    } else {
      if (url !== '/token') provider.strayRequests.push(url);
      answer({ access_token: 'access', token_type: 'bearer', id_token: provider.idToken });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: ForgingProvider = {
    ...{ issuer, privateKey, publicKey, idToken: '', strayRequests: [] },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}
