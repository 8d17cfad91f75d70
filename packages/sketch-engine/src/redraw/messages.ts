import type { SketchInput } from '../drawing/sketch-api.js';
import type { SketchFault } from '../run/sketch-fault.js';

/** The standard input of a sketch's process: the order's length, the order as JSON, the files. */
export interface ProcessOrder {
  readonly code: string;
  readonly input: SketchInput;
  /** Maximum resident memory of the process, in bytes. */
  readonly maxBytes: number;
  /** Lengths of the files that follow, in bytes. */
  readonly files: readonly { readonly name: ProcessFile; readonly bytes: number }[];
}

/** Scripts of the build, and the packed engine. */
export type ProcessFile = 'sketch-thread' | RealmFile;
export type RealmFile = 'pin-language' | 'redraw-world' | 'engine';

/** The input of the thread that holds the realm. */
export interface ThreadOrder extends Pick<ProcessOrder, 'code' | 'input'> {
  readonly files: Readonly<Record<RealmFile, Uint8Array>>;
}

/** The messages of the process: one per line of its standard output, as JSON. Hashes are 64 hex digits. */
export type ProcessReport =
  | { readonly kind: 'frame'; readonly hash: string }
  | { readonly kind: 'picture'; readonly outputHash: string; readonly imageHash: string }
  | { readonly kind: 'fault'; readonly fault: SketchFault }
  | { readonly kind: 'memory' };
