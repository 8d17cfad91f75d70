import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { sha256 } from '@cer/cer-core';
import * as z from 'zod';

/** Number of results of a sketch by hash or refusal. */
export type Counts = Record<string, number>;

const Line = z.object({ renderer: z.string(), sketch: z.string(), outcome: z.string() });

/**
 * The outcomes of certifications, a line each in a file, so that a later run continues where this one is ended. Those of
 * another renderer or another text of the sketch do not count.
 */
export class KeptOutcomes {
  readonly #file: string | undefined;
  readonly #renderer: string;

  /** @param file created with the first outcome; without one nothing is stored */
  constructor(file: string | undefined, renderer: string) {
    this.#file = file;
    this.#renderer = renderer;
  }

  of(code: string): Counts {
    const counts: Counts = {};
    if (this.#file === undefined || !existsSync(this.#file)) return counts;
    const sketch = sha256(code);
    for (const line of readFileSync(this.#file, 'utf8').split('\n').filter(Boolean)) {
      const kept = Line.parse(JSON.parse(line));
      if (kept.renderer === this.#renderer && kept.sketch === sketch) count(counts, kept.outcome);
    }
    return counts;
  }

  add(code: string, outcome: string): void {
    if (this.#file === undefined) return;
    const line: z.output<typeof Line> = { renderer: this.#renderer, sketch: sha256(code), outcome };
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

export function count(counts: Counts, outcome: string): void {
  counts[outcome] = (counts[outcome] ?? 0) + 1;
}
