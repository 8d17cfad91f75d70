import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of files that a test hands to a browser or to the command line. */
export class Files {
  readonly folder = mkdtempSync(join(tmpdir(), 'cer-verifier-'));

  write(name: string, content: unknown): string {
    const path = join(this.folder, name);
    writeFileSync(
      path,
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
    );
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
