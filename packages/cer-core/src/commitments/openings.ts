import type { JsonObject } from '@cer/canonical-json';
import { encodeBase64Url } from '@cer/keys';
import type { CommitmentSalts } from './commit.js';

/** `{input: {salt}, output: {salt}}`, base64url of 32 bytes each: handed to the producer beside the certificate, once. */
export function formatOpenings({ input, output }: CommitmentSalts): JsonObject {
  return { input: { salt: encodeBase64Url(input) }, output: { salt: encodeBase64Url(output) } };
}
