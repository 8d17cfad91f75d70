import type { FileHandle } from 'node:fs/promises';
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl';
import { PackageRefused } from './package-finding.js';
import type { PackageLimits } from './package-limits.js';

// All checks of a ZIP before one byte of it is unpacked. @see docs/spec.md, "Audit package"

/** Deflate reaches 1032 to 1 at most; lines of JSON reach about ten. */
const MAX_RATIO = 100;
const RATIO_COUNTS_FROM = 1024 * 1024;

/** The first bytes of every package: it has at least one entry. */
const START_SIGNATURE = 0x04034b50;
const END_SIZE = 22;
const END_SIGNATURE = 0x06054b50;
const LONG_END_SIZE = 56;
const LONG_LOCATOR_SIZE = 20;
const LONG_LOCATOR_SIGNATURE = 0x07064b50;
const DIRECTORY_RECORD_SIZE = 46;
const DESCRIPTOR_SIGNATURE = 0x08074b50;

const NOT_COMPLETE = 'is not a complete ZIP: was the download cut off?';

const STORED = 0;
const DEFLATED = 8;
const HAS_DESCRIPTOR = 0x08;
/** Patched data, and a directory whose header values are masked. */
const OTHER_FLAGS = 0x20 | 0x2000;
/** The version of the format that has sizes of 64 bits; other programs refuse entries that need a later version. */
const MAX_VERSION_NEEDED = 45;
/** Extra fields that a header may have, and the bytes that each has at most: sizes of 64 bits, and times. */
const EXTRA_FIELDS: ReadonlyMap<number, number> = new Map([
  [0x0001, 28],
  [0x5455, 13],
]);

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;

const safeName = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** An entry with a valid name and valid headers. */
export interface SafeEntry {
  readonly name: string;
  readonly entry: Entry;
}

/** A structurally sound package: its entries in file order. */
export interface SoundZip {
  readonly zip: ZipFile;
  readonly entries: readonly SafeEntry[];
}

/**
 * Opens a ZIP of which every byte belongs to exactly one entry, or to the directory.
 * @throws PackageRefused for anything else
 */
export async function openSoundZip(file: FileHandle, limits: PackageLimits): Promise<SoundZip> {
  await assertReadableEnd(file);
  const zip = await read(() =>
    fromFdPromise(file.fd, { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true }),
  );
  if (zip.entryCount > limits.entries) {
    throw new PackageRefused('PACKAGE_TOO_LARGE', '', `has more than ${limits.entries} entries`);
  }
  const entries = await readDirectory(zip, limits);
  let end = 0;
  for (const entry of entries) end = await endOfEntry(file, zip, entry, end);
  await assertDirectoryFollows(file, entries, end);
  return { zip, entries };
}

/**
 * Refuses an end that leads the library out of the file: a position of 64 bits that no number in JavaScript holds makes it
 * throw where nothing can catch it. The library looks for an end anywhere; it is the last bytes of a package, and the
 * directory lies directly before it.
 */
async function assertReadableEnd(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const start = await bytesAt(file, 0, 4);
  const isZip = start.length === 4 && start.readUInt32LE(0) === START_SIGNATURE;
  const rule = isZip ? NOT_COMPLETE : 'is not a ZIP: cer verify checks a certificate, a project and a picture';
  const refused = new PackageRefused('PACKAGE_MALFORMED', '', rule);
  const end = await bytesAt(file, size - END_SIZE, END_SIZE);
  if (end.length < END_SIZE || end.readUInt32LE(0) !== END_SIGNATURE || end.readUInt16LE(20) !== 0) throw refused;
  // Disk numbers, and the entries on this disk and in all.
  if (end.readUInt32LE(4) !== 0 || end.readUInt16LE(8) !== end.readUInt16LE(10)) throw refused;
  const locator = await bytesAt(file, size - END_SIZE - LONG_LOCATOR_SIZE, LONG_LOCATOR_SIZE);
  if (locator.length < LONG_LOCATOR_SIZE || locator.readUInt32LE(0) !== LONG_LOCATOR_SIGNATURE) {
    if (end.readUInt32LE(16) + end.readUInt32LE(12) !== size - END_SIZE) throw refused;
    return;
  }
  const longEndAt = size - END_SIZE - LONG_LOCATOR_SIZE - LONG_END_SIZE;
  const longEnd = await bytesAt(file, longEndAt, LONG_END_SIZE);
  const isBefore =
    longEnd.length === LONG_END_SIZE &&
    longEnd.readBigUInt64LE(48) + longEnd.readBigUInt64LE(40) === BigInt(longEndAt) &&
    longEnd.readBigUInt64LE(16) === 0n &&
    longEnd.readBigUInt64LE(24) === longEnd.readBigUInt64LE(32);
  if (locator.readBigUInt64LE(8) !== BigInt(longEndAt) || !isBefore) throw refused;
}

/** Runs a step of the library and maps its errors on broken files to one code. */
async function read<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof PackageRefused) throw error;
    const detail = error instanceof Error ? error.message : '';
    if (detail.includes('encryption')) {
      throw new PackageRefused('ENTRY_ENCRYPTED', '', 'an entry is encrypted');
    }
    throw new PackageRefused('PACKAGE_MALFORMED', '', NOT_COMPLETE);
  }
}

async function readDirectory(zip: ZipFile, { totalBytes }: PackageLimits): Promise<SafeEntry[]> {
  const found: SafeEntry[] = [];
  const names = new Set<string>();
  let total = 0;
  await read(async () => {
    for await (const entry of zip.eachEntry()) {
      const name = safeNameOf(entry);
      // File systems may treat names that differ in case as one.
      const folded = name.toLowerCase();
      if (names.has(folded)) throw new PackageRefused('ENTRY_DUPLICATE', name, 'is in the package more than once');
      names.add(folded);
      assertPlainFile(entry, name);
      total += entry.uncompressedSize;
      if (entry.uncompressedSize > RATIO_COUNTS_FROM && entry.uncompressedSize > entry.compressedSize * MAX_RATIO) {
        throw new PackageRefused('PACKAGE_TOO_LARGE', name, `would grow to more than ${MAX_RATIO} times its size`);
      }
      if (total > totalBytes) {
        throw new PackageRefused('PACKAGE_TOO_LARGE', name, `all entries together have more than ${totalBytes} bytes`);
      }
      found.push({ name, entry });
    }
  });
  return found;
}

function safeNameOf({ fileNameRaw }: Entry): string {
  const name = fileNameRaw.toString('latin1');
  const refuse = (rule: string): PackageRefused => new PackageRefused('ENTRY_NAME_UNSAFE', name, rule);
  if (/^[/\\]|^[A-Za-z]:/.test(name)) throw refuse('the name is absolute');
  if (name.split(/[/\\]/).includes('..')) throw refuse('the name leads out of the package');
  if (!safeName.test(name)) throw refuse('the name has characters that no name in a package has');
  return name;
}

function assertPlainFile(entry: Entry, name: string): void {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type !== 0 && type !== REGULAR_FILE) {
    throw new PackageRefused('ENTRY_SPECIAL_FILE', name, 'is a link or another special file');
  }
  if (entry.isEncrypted()) throw new PackageRefused('ENTRY_ENCRYPTED', name, 'is encrypted');
  const isKnown = entry.compressionMethod === STORED || entry.compressionMethod === DEFLATED;
  const isOdd = (entry.generalPurposeBitFlag & OTHER_FLAGS) !== 0 || entry.fileCommentLength > 0;
  const isNewer = entry.versionNeededToExtract > MAX_VERSION_NEEDED;
  if (!isKnown || isOdd || isNewer || !hasPlainFields(entry.extraFieldRaw)) {
    throw new PackageRefused('PACKAGE_MALFORMED', name, 'is stored in a way that packages do not use');
  }
}

/** Extra fields could hold a second name, under which some programs unpack, or hidden data. */
function hasPlainFields(fields: Buffer): boolean {
  const seen = new Set<number>();
  for (let at = 0; at < fields.length;) {
    if (at + 4 > fields.length) return false;
    const [id, size] = [fields.readUInt16LE(at), fields.readUInt16LE(at + 2)];
    if (seen.has(id) || size > (EXTRA_FIELDS.get(id) ?? -1)) return false;
    seen.add(id);
    at += 4 + size;
    if (at > fields.length) return false;
  }
  return true;
}

/** Compares the entry's local header with the directory. @returns where the next entry must begin */
async function endOfEntry(file: FileHandle, zip: ZipFile, { name, entry }: SafeEntry, start: number): Promise<number> {
  const mismatch = (rule: string): PackageRefused => new PackageRefused('ENTRY_HEADER_MISMATCH', name, rule);
  if (entry.relativeOffsetOfLocalHeader !== start) {
    throw mismatch('does not begin where the entry before it ends: bytes are hidden or used twice');
  }
  const local = await read(() => zip.readLocalFileHeaderPromise(entry));
  if (!local.fileName.equals(entry.fileNameRaw)) throw mismatch('its own header has another name than the directory');
  if (
    local.generalPurposeBitFlag !== entry.generalPurposeBitFlag ||
    local.compressionMethod !== entry.compressionMethod
  ) {
    throw mismatch('its own header says otherwise how it is stored than the directory');
  }
  if (!hasPlainFields(local.extraField)) throw mismatch('its own header has fields that no package has');
  const dataEnd = local.fileDataStart + entry.compressedSize;
  if ((entry.generalPurposeBitFlag & HAS_DESCRIPTOR) === 0) {
    const isSame =
      local.crc32 === entry.crc32 &&
      isSameSize(local.compressedSize, entry.compressedSize) &&
      isSameSize(local.uncompressedSize, entry.uncompressedSize);
    if (!isSame) throw mismatch('its own header has another size or checksum than the directory');
    return dataEnd;
  }
  const end = await endOfDescriptor(file, entry, dataEnd);
  if (end === null) throw mismatch('the data after it has another size or checksum than the directory');
  return end;
}

/** Marks a size that does not fit into 32 bits and is located in an extra field. */
function isSameSize(local: number, stated: number): boolean {
  return local === stated || (local === 0xffffffff && stated >= 0xffffffff);
}

/** The sizes that follow an entry which was written before they were known. */
async function endOfDescriptor(file: FileHandle, entry: Entry, start: number): Promise<number | null> {
  const bytes = await bytesAt(file, start, 24);
  if (bytes.length < 16 || bytes.readUInt32LE(0) !== DESCRIPTOR_SIGNATURE || bytes.readUInt32LE(4) !== entry.crc32) {
    return null;
  }
  if (bytes.readUInt32LE(8) === entry.compressedSize && bytes.readUInt32LE(12) === entry.uncompressedSize) {
    // If both readings fit, the long one: a short one would be followed by a header, not by four zeros.
    const isLong = bytes.length === 24 && bytes.readUInt32LE(12) === 0 && bytes.readUInt32LE(16) === 0;
    if (!isLong) return start + 16;
  }
  if (bytes.length < 24) return null;
  const isSame =
    bytes.readBigUInt64LE(8) === BigInt(entry.compressedSize) &&
    bytes.readBigUInt64LE(16) === BigInt(entry.uncompressedSize);
  return isSame ? start + 24 : null;
}

/** Refuses bytes between the last entry and the directory, between the directory and the end, or after the end. */
async function assertDirectoryFollows(file: FileHandle, entries: readonly SafeEntry[], start: number): Promise<void> {
  const { size } = await file.stat();
  let directoryEnd = start;
  for (const { name, entry } of entries) {
    // The library passes over the number of the disk. A package is on one.
    const disk = await bytesAt(file, directoryEnd + 34, 2);
    if (disk.length < 2 || disk.readUInt16LE(0) !== 0) {
      throw new PackageRefused('PACKAGE_MALFORMED', name, 'is stored in a way that packages do not use');
    }
    directoryEnd += DIRECTORY_RECORD_SIZE + entry.fileNameLength + entry.extraFieldLength;
  }
  const refused = new PackageRefused('PACKAGE_MALFORMED', '', 'has bytes that belong to no entry');
  const end = await bytesAt(file, size - END_SIZE, END_SIZE);
  if (end.length < END_SIZE || end.readUInt32LE(0) !== END_SIGNATURE) throw refused;
  const locator = await bytesAt(file, size - END_SIZE - LONG_LOCATOR_SIZE, LONG_LOCATOR_SIZE);
  const isLong = locator.length === LONG_LOCATOR_SIZE && locator.readUInt32LE(0) === LONG_LOCATOR_SIGNATURE;
  if (!isLong) {
    if (end.readUInt32LE(16) !== start || directoryEnd + END_SIZE !== size) throw refused;
    return;
  }
  const longEnd = await bytesAt(file, directoryEnd, LONG_END_SIZE);
  const isSound =
    directoryEnd + LONG_END_SIZE + LONG_LOCATOR_SIZE + END_SIZE === size &&
    locator.readBigUInt64LE(8) === BigInt(directoryEnd) &&
    longEnd.readBigUInt64LE(48) === BigInt(start);
  if (!isSound) throw refused;
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0 || !Number.isSafeInteger(position)) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}
