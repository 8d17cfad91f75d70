import { fromBuffer, type Entry, type ZipFile } from 'yauzl';

/** The files of a ZIP by name, in archive order. */
export async function zipFiles(zip: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  await eachEntry(zip, async (file, entry) => {
    files.set(entry.fileName, await contentOf(file, entry));
  });
  return files;
}

/** The size of each file, uncompressed and in the ZIP. */
export async function zipSizes(zip: Buffer): Promise<{ name: string; size: number; compressed: number }[]> {
  const sizes: { name: string; size: number; compressed: number }[] = [];
  await eachEntry(zip, async (_file, { fileName: name, uncompressedSize: size, compressedSize: compressed }) => {
    sizes.push({ name, size, compressed });
  });
  return sizes;
}

async function eachEntry(zip: Buffer, look: (file: ZipFile, entry: Entry) => Promise<void>): Promise<void> {
  const file = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true }, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  });
  await new Promise<void>((resolve, reject) => {
    file.on('entry', (entry: Entry) => {
      look(file, entry)
        .then(() => {
          file.readEntry();
        })
        .catch(reject);
    });
    file.once('end', resolve).once('error', reject);
    file.readEntry();
  });
}

function contentOf(file: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    file.openReadStream(entry, (error, stream) => {
      if (error !== null) {
        reject(error);
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      stream.once('end', () => {
        resolve(Buffer.concat(chunks));
      });
    });
  });
}
