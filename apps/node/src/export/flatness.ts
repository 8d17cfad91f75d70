import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

/** Shorter lines cannot shrink that far, because their hashes, ids and signatures do not compress. */
const NEVER_BELOW_CHARACTERS = 16 * 1024;
/** Half the ratio that readers treat as a zip bomb. */
const MAX_RATIO = 50;

const deflated = promisify(deflateRaw);

/**
 * Whether a line compresses so well that readers, which reject ratios above 100 to 1, would reject its package. Callers
 * choose the content, so one certificate could otherwise make the whole package unreadable.
 * @see docs/spec.md, "Audit package"
 */
export async function isTooFlat(line: string): Promise<boolean> {
  if (line.length <= NEVER_BELOW_CHARACTERS) return false;
  const bytes = Buffer.from(line);
  return (await deflated(bytes)).length * MAX_RATIO < bytes.length;
}
