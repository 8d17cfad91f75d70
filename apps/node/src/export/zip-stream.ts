import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file of a package. Its content is read in its turn, at the speed of the consumer. */
export interface PackageFile {
  readonly name: string;
  readonly content: AsyncIterable<string | Uint8Array>;
  /** Stored uncompressed. */
  readonly isStored?: boolean;
}

const REGULAR_FILE = 0o100644;

/**
 * Streams files into a ZIP and buffers only the list of names. Stopping early stops the files too.
 * @param files read sequentially, each to its end before the next
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
    // Rejects pending writes that wait for a consumer.
    (current as Readable | null)?.destroy();
    await filled;
  }
}

/**
 * Hands over a stream and drops the reference. The ZIP keeps its input for every name until the end; with streams it
 * would keep the whole package in memory.
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
