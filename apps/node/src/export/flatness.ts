import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

/** A shorter line cannot: its hashes, ids and signatures take room, however its content repeats itself. */
const NEVER_BELOW_CHARACTERS = 16 * 1024;
/** Half of what readers take for a bomb. */
const MAX_RATIO = 50;

const deflated = promisify(deflateRaw);

/**
 * Whether a line would shrink so far that readers of packages, which refuse more than 100 to 1, would refuse the one it
 * is in. Whoever certifies chooses the content, so one certificate could spoil the package of all.
 * @see docs/spec.md, "Audit package"
 */
export async function isTooFlat(line: string): Promise<boolean> {
  if (line.length <= NEVER_BELOW_CHARACTERS) return false;
  const bytes = Buffer.from(line);
  return (await deflated(bytes)).length * MAX_RATIO < bytes.length;
}
