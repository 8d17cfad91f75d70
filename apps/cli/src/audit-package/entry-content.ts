import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AuditPackageEntry } from '@cer/cer-core/logs';
import type { ZipFile } from 'yauzl';
import { PackageRefused, type PackageFindings } from './package-finding.js';
import type { SafeEntry } from './zip-structure.js';

/**
 * Unpacks one entry as it is read. When it ends, its size and hash are compared with the manifest.
 * @param listed its entry in the manifest; null: nothing to compare with
 * @throws PackageRefused PACKAGE_MALFORMED when it cannot be unpacked, exceeds the size in the directory, or has another
 *   CRC-32 than the directory although the manifest lists it so: other programs refuse such a file
 */
export async function* entryContent(
  zip: ZipFile,
  { name, entry }: SafeEntry,
  listed: AuditPackageEntry | null,
  findings: Pick<PackageFindings, 'add'>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  let crc = 0;
  try {
    const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream) {
      hash.update(chunk);
      size += chunk.length;
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof PackageRefused) throw error;
    throw new PackageRefused('PACKAGE_MALFORMED', name, 'cannot be unpacked');
  }
  if (listed !== null && size !== listed.size) {
    findings.add('ENTRY_CHANGED', name, `has ${size} bytes, the manifest says ${listed.size}`);
  } else if (listed !== null && `sha256:${hash.digest('hex')}` !== listed.sha256) {
    findings.add('ENTRY_CHANGED', name, 'has another SHA-256 than the manifest says');
  } else if (crc !== entry.crc32) {
    throw new PackageRefused('PACKAGE_MALFORMED', name, 'has another CRC-32 than the directory says');
  }
}

/** Reads a small entry whole. @throws PackageRefused */
export async function wholeEntry(
  zip: ZipFile,
  entry: SafeEntry,
  maxBytes: number,
  findings: PackageFindings,
): Promise<Buffer> {
  if (entry.entry.uncompressedSize > maxBytes) {
    throw new PackageRefused('PACKAGE_TOO_LARGE', entry.name, `has more than ${maxBytes} bytes`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of entryContent(zip, entry, null, findings)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
