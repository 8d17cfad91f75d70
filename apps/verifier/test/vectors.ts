import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A vector that is refused as a body: files may begin with a byte order mark, and what follows it verifies. */
export const BYTE_ORDER_MARK = 'json-byte-order-mark';

/** One test of cer-core's vectors that needs only a bundle and keys, as files that a page or a command takes. */
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

/** A family file, as far as it is read here. Format: packages/cer-core/vectors/README.md. */
interface Family {
  readonly keySets: Readonly<Record<string, unknown>>;
  readonly tests: readonly {
    readonly id: string;
    readonly kind: string;
    readonly options?: unknown;
    readonly bundle: string;
    readonly keySet: string | null;
    readonly expected: { readonly status?: string; readonly refused?: string; readonly code?: string };
  }[];
}

const VECTORS = join(__dirname, '..', '..', '..', 'packages', 'cer-core', 'vectors');

/**
 * Leaves out tests with options (a node pinned by name, a full artefact): a page has none of them.
 * @param folder an existing folder, which gets a file for each bundle and key set
 * @returns sorted by name
 */
export function unpackVectors(folder: string): Vector[] {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const files = readdirSync(VECTORS).filter((file) => file.endsWith('.json'));
  const vectors = files.flatMap((file) => {
    const { keySets, tests } = JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as Family;
    return tests.flatMap((test): Vector[] => {
      if (test.options !== undefined) return [];
      const { id: name, kind, bundle, expected } = test;
      const keySet = test.keySet === null ? null : JSON.stringify(keySets[test.keySet]);
      return [
        {
          ...{ name, kind, bundle, keySet },
          bundlePath: write(`${name}.bundle.json`, bundle),
          keySetPath: keySet === null ? null : write(`${name}.key-set.json`, keySet),
          status: expected.status,
          refused: expected.refused,
          code: expected.code,
        },
      ];
    });
  });
  return vectors.sort((left, right) => (left.name < right.name ? -1 : 1));
}
