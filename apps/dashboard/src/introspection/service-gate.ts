import { bearerKey, equalSecret, unauthorized, type RequestHead, type Secret } from '@cer/http-service';

/** Admits the services that hold the service credential; nobody else learns anything. */
export function createServiceGate(serviceToken: Secret<string>): (head: RequestHead) => Promise<void> {
  return async (head) => {
    if (!equalSecret(bearerKey(head), serviceToken.reveal())) throw unauthorized();
  };
}
