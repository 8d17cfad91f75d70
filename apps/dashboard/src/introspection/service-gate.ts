import { bearerKey, equalSecret, unauthorized, type RequestHead, type Secret } from '@cer/http-service';

/** Admits services that hold the service credential; any other caller gets 401. */
export function createServiceGate(serviceToken: Secret<string>): (head: RequestHead) => Promise<void> {
  return async (head) => {
    if (!equalSecret(bearerKey(head), serviceToken.reveal())) throw unauthorized();
  };
}
