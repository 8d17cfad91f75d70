import { MemoryLimitError } from '../language/limits.js';

/** The sketch used something that no sketch may use: the render ends with 400 PROTOCOL_VIOLATION. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/** Why a render ends without a picture, whatever the sketch catches. */
interface FinalFault {
  readonly code: 'RENDER_ERROR' | 'PROTOCOL_VIOLATION';
  readonly message: string;
  readonly line?: number;
}

let first: FinalFault | undefined;

/** Refuses, and remembers that it did: a sketch that catches the error has still broken the protocol. */
export function refuse(message: string): never {
  failForGood({ code: 'PROTOCOL_VIOLATION', message });
  throw new ProtocolViolation(message);
}

/** Records that there is no memory for a request of the sketch, whose code may never see the error. */
export function outOfMemory(message: string): never {
  failForGood({ code: 'RENDER_ERROR', message });
  throw new MemoryLimitError(message);
}

export function failForGood(fault: FinalFault): void {
  first ??= fault;
}

/** The first final fault of this realm, caught by the sketch or not. */
export function firstFinalFault(): FinalFault | undefined {
  return first;
}
