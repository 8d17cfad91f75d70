import { fromBuffer, type Entry, type ZipFile } from 'yauzl';

/** The files of a ZIP by name, in the order in which they stand in it. */
export async function zipFiles(zip: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const file = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true }, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  });
  const files = new Map<string, Buffer>();
  await new Promise<void>((resolve, reject) => {
    file.on('entry', (entry: Entry) => {
      contentOf(file, entry)
        .then((content) => {
          files.set(entry.fileName, content);
          file.readEntry();
        })
        .catch(reject);
    });
    file.once('end', resolve).once('error', reject);
    file.readEntry();
  });
  return files;
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
