import { isMembers, textOf } from '../json.js';

/** Sealed bundles that wait for their attestation, oldest first. */
export interface Batch {
  /** The bundles as JSON text. */
  readonly texts: readonly string[];
  /** Forgets the first `count` of them. */
  acknowledge(count: number): void;
  /** Leaves them on the disk for the next process too, which sends them again. */
  keep(): void;
}

export interface Spool {
  /** @throws Error when the bundle cannot be stored */
  put(text: string): void;
  /** The oldest bundles, or null when none waits. One batch at a time. */
  next(maxLines: number): Promise<Batch | null>;
  /** Bundles that wait, from as many places as it has: the oldest of each. */
  heads(): readonly string[];
  /** Keeps a bundle that no node will take. @throws Error when it cannot be stored */
  bury(text: string, code: string): void;
  /** Bundles and bytes that wait. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** When the oldest of them was sealed, in milliseconds since 1970; null when none waits. */
  readonly oldestAt: number | null;
  /** Lines that a crash cut off, or that were changed or cannot be read, and segments taken over from ended processes. */
  readonly torn: number;
  readonly adopted: number;
  /** Waits until everything stored is on the disk. */
  close(): Promise<void>;
}

/** When a bundle was sealed, in milliseconds since 1970; null for other text. */
export function sealedAt(text: string): number | null {
  const at = Date.parse(/"(?:createdAt|completedAt)":"([^"]{10,40})"/.exec(text.slice(0, 4096))?.[1] ?? '');
  return Number.isNaN(at) ? null : at;
}

/** The earliest of these times; null without one. A folder may have more segments than a function takes arguments. */
export function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null);
}

/** A project is registered after its steps are attested, by a separate request. */
export function isProject(text: string): boolean {
  return text.startsWith('{"bundleType":"cer.project.bundle.v1"');
}

/** The hash that names a bundle; null for other text. */
export function sealedHash(text: string): string | null {
  const sealed: unknown = JSON.parse(text);
  if (!isProject(text)) return textOf(sealed, 'certificateHash');
  return textOf(isMembers(sealed) ? sealed['integrity'] : null, 'projectHash');
}
