/** Bytes of JSON from which work goes to a thread. Smaller work is faster on the event loop, unless it is dense. */
const LARGE_BYTES = 256 * 1024;
/** Bytes up to which density is not asked for. */
const SMALL_BYTES = 64 * 1024;
/** Arrays, objects and commas of a dense body: parsing those takes as long as 256 KiB of ordinary JSON. */
const DENSE_MARKS = 32 * 1024;

const IS_MARK = new Uint8Array(256);
for (const mark of '[{,') IS_MARK[mark.charCodeAt(0)] = 1;

/**
 * Whether a body, or a line of a batch, is worked on in a thread: over 256 KiB, or over 64 KiB with many small values.
 * Marks within strings count too.
 */
export function isLarge(body: Uint8Array): boolean {
  return body.length > LARGE_BYTES || (body.length > SMALL_BYTES && isDense(body));
}

function isDense(body: Uint8Array): boolean {
  let marks = 0;
  for (let at = 0; at < body.length && marks <= DENSE_MARKS; at += 1) marks += IS_MARK[body[at] ?? 0] ?? 0;
  return marks > DENSE_MARKS;
}
