/** What the worker is given: the packed engine, a script that `pinSyntax` wrote, and its input as JSON. */
export interface WorkerOrder {
  readonly engine: ArrayBuffer;
  readonly script: string;
  readonly input: string;
  /** Where the pixels go, RGBA. */
  readonly pixels: ArrayBuffer;
}

/** What it answers: pixels, premultiplied, or why there are none. */
export type WorkerAnswer = { readonly pixels: ArrayBuffer } | { readonly fault: string };
