import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One case of cer-core's vector folder that needs nothing but bundle and keys. */
export interface Vector {
  readonly name: string;
  readonly bundlePath: string;
  readonly bundle: string;
  /** Null: the caller has no keys. */
  readonly keySetPath: string | null;
  readonly keySet: string | null;
  /** Undefined where the parser refuses the text. */
  readonly status: string | undefined;
  readonly refused: string | undefined;
  readonly code: string | undefined;
  readonly kind: string;
}

const FOLDER = join(__dirname, '..', '..', '..', 'packages', 'cer-core', 'vectors');

/** Cases that demand more than a page can (a node named, a full artefact) are left to cer-core's own loop. */
export function readVectors(): Vector[] {
  return readdirSync(FOLDER).flatMap((name): Vector[] => {
    const folder = join(FOLDER, name);
    const [bundlePath, keySetPath] = [join(folder, 'bundle.json'), join(folder, 'key-set.json')];
    if (!existsSync(bundlePath)) return [];
    const { kind, options } = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as {
      kind: string;
      options?: unknown;
    };
    if (options !== undefined) return [];
    const { status, refused, code } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as {
      status?: string;
      refused?: string;
      code?: string;
    };
    const text = existsSync(keySetPath) ? readFileSync(keySetPath, 'utf8') : null;
    const keySet = text === null || text.trim() === 'null' ? null : text;
    const bundle = readFileSync(bundlePath, 'utf8');
    return [
      {
        name,
        bundlePath,
        bundle,
        keySetPath: keySet === null ? null : keySetPath,
        keySet,
        status,
        refused,
        code,
        kind,
      },
    ];
  });
}
