/** The sketch asked for what no sketch may have: the render ends with 400 PROTOCOL_VIOLATION. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

let first: string | undefined;

/** Refuses, and remembers that it did: a sketch that catches the error has still broken the protocol. */
export function refuse(message: string): never {
  first ??= message;
  throw new ProtocolViolation(message);
}

/** The first refusal of this page, caught by the sketch or not. */
export function firstViolation(): string | undefined {
  return first;
}
