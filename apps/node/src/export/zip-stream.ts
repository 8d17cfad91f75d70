import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file of a package. Its content is read when its turn comes, and only as fast as somebody takes it. */
export interface PackageFile {
  readonly name: string;
  readonly content: AsyncIterable<string | Uint8Array>;
  /** Put into the ZIP as it is, instead of compressed. */
  readonly isStored?: boolean;
}

const REGULAR_FILE = 0o100644;

/**
 * Writes files into a ZIP while it is read: nothing is kept but the list of names. Stopping early stops the files too.
 * @param files asked for one after another; the content of each is read to its end before the next
 */
export async function* zipStream(files: AsyncIterable<PackageFile>, mtime: Date): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new Error('a ZIP is written to a stream of Node');
  const fail = (error: unknown): void => {
    output.destroy(error instanceof Error ? error : new Error('a file of the package could not be read'));
  };
  let current: Readable | null = null;
  zip.on('error', fail);
  const fill = async (): Promise<void> => {
    for await (const { name, content, isStored = false } of files) {
      if (output.destroyed) return;
      const stream = Readable.from(content, { objectMode: false });
      current = stream;
      zip.addReadStreamLazy(name, { mtime, mode: REGULAR_FILE, compress: !isStored }, handedOnce(stream));
      await finished(stream, { writable: false });
    }
    zip.end();
  };
  const filled = fill().catch(fail);
  try {
    for await (const chunk of output as AsyncIterable<Uint8Array>) yield chunk;
  } finally {
    output.destroy();
    // Whoever waits for somebody to read on is told that nobody will.
    (current as Readable | null)?.destroy();
    await filled;
  }
}

/**
 * Hands a stream over and forgets it. The ZIP keeps what it was given for every name until it ends; with the streams it
 * would keep the content of the whole package in memory.
 */
function handedOnce(stream: Readable): (take: (error: unknown, stream: Readable) => void) => void {
  let held: Readable | null = stream;
  return (take) => {
    if (held === null) throw new Error('a file of a package is read once');
    const handed = held;
    held = null;
    take(null, handed);
  };
}
