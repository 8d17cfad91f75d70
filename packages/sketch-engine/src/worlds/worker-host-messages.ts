import { PROBE_SCRIPT } from './sketch-realm.js';

/** The input of the worker. */
export interface WorkerOrder {
  /** The packed engine. */
  readonly engine: ArrayBuffer;
  /** `workerScripts`. */
  readonly scripts: readonly string[];
  /**
   * Addresses that the page made of the scripts. In a page of a file Chromium loads only those that the worker made, and
   * WebKit only these.
   */
  readonly addresses: readonly string[];
  /** A SketchInput as JSON. */
  readonly input: string;
  /** Where the pixels go, RGBA. */
  readonly pixels: ArrayBuffer;
}

/** What the worker loads. @param script what `pinSyntax` wrote */
export function workerScripts(script: string): readonly string[] {
  return [`${script}\n//# sourceURL=sketch.js`, PROBE_SCRIPT];
}

export function addressOf(script: string): string {
  return URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
}

/** The answer of the worker: pixels, premultiplied, or the reason why there are none. */
export type WorkerAnswer = { readonly pixels: ArrayBuffer } | { readonly fault: string };
