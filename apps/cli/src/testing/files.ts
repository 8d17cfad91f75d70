import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parseJson, type JsonObject } from '@cer/canonical-json';

const SAMPLES = fileURLToPath(new URL('../../../../examples/certificates', import.meta.url));

/** The path of a file in examples/certificates. */
export function sample(name: string): string {
  return join(SAMPLES, name);
}

export function readSample(name: string): JsonObject {
  const value = parseJson(readFileSync(sample(name)));
  if (!isJsonObject(value)) throw new TypeError(`${name} is not an object`);
  return value;
}

/** A temporary folder for one test file. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'cer-cli-'));

  file(name: string): string {
    return join(this.path, name);
  }

  /** Writes text, bytes, or a value as JSON; returns the path. */
  write(name: string, content: string | Uint8Array | JsonObject | readonly JsonObject[]): string {
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(this.file(name), isRaw ? content : JSON.stringify(content));
    return this.file(name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
