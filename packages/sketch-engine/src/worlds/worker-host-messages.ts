/** The input of the worker: the packed engine, a script that `pinSyntax` wrote, and its input as JSON. */
export interface WorkerOrder {
  readonly engine: ArrayBuffer;
  readonly script: string;
  readonly input: string;
  /** Where the pixels go, RGBA. */
  readonly pixels: ArrayBuffer;
}

/** The answer of the worker: pixels, premultiplied, or the reason why there are none. */
export type WorkerAnswer = { readonly pixels: ArrayBuffer } | { readonly fault: string };
