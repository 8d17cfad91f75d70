import { bearerKey, unauthorized, type RequestHead } from '@cer/http-service';
import { equalSecret, type Secret } from '@cer/http-service/config';

/** Admits services that hold the service credential; any other caller gets 401. */
export function createServiceGate(serviceToken: Secret<string>): (head: RequestHead) => Promise<void> {
  return async (head) => {
    if (!equalSecret(bearerKey(head), serviceToken.reveal())) throw unauthorized();
  };
}
