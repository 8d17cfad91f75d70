import { createOpensslTsa } from '@cer/timestamps/testing';

/** The root certificate of an authority for timestamps, as PEM. */
export function rootPem(): string {
  const tsa = createOpensslTsa();
  tsa.remove();
  return tsa.rootPem;
}
