import { readFile } from 'node:fs/promises';

/**
 * The scripts that the build bundles, each one self-contained. `pin-language` is the first script of a realm: what runs
 * after it calculates and sorts the same in every engine. `redraw-world` draws a sketch in a realm that holds nothing else,
 * `sketch-process` starts `sketch-thread`, which makes such a realm; `worker-host` is for the worker of a browser.
 */
export type ScriptName = 'pin-language' | 'redraw-world' | 'sketch-process' | 'sketch-thread' | 'worker-host';

/** @returns the text of a classic script. @throws Error where the package is not built */
export function readScript(name: ScriptName): Promise<string> {
  return readFile(new URL(`../../dist/scripts/${name}.js`, import.meta.url), 'utf8');
}
