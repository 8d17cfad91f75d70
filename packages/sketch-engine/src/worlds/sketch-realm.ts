/**
 * The functions that the host of a sketch's realm calls once the sketch was evaluated: every argument and answer is a
 * primitive value, so that no object of the host reaches the realm.
 */
export interface SketchRealm {
  /** Before the sketch's text. @param input a SketchInput as JSON @param probe name of a global function to make */
  start(input: string, probe: string): void;
  /** Whether the probe found the function. */
  defines(name: 'setup' | 'draw'): boolean;
  /** @returns the first SketchFault as JSON, empty without one */
  setup(): string;
  /** Draws a frame and copies its pixels: RGBA, premultiplied. @returns the first SketchFault as JSON, empty without one */
  frame(index: number): string;
}

/**
 * @param engine the packed engine, in a buffer of the realm
 * @param pixels where each frame's pixels go, in a buffer of the realm
 */
export type RealmEntry = (engine: ArrayBuffer, pixels: ArrayBuffer) => Promise<SketchRealm>;

/** The sketch finds it while it is asked for its functions. A getter may see the name: it is the same in every host. */
export const PROBE = 'sketchProbe';

/** A separate script also sees `let` and `const` declarations, and comments and strings do not affect it. */
export const PROBE_SCRIPT = `${PROBE}(${['setup', 'draw', 'preload']
  .map((name) => `typeof ${name} === 'function' ? ${name} : 0`)
  .join()})`;
