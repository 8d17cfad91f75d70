import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a ZIP made by hand, with any false header values that a test needs. */
export interface RawEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly deflated?: boolean;
  readonly flags?: number;
  readonly method?: number;
  readonly externalAttributes?: number;
  /** The size that the headers state. */
  readonly statedSize?: number;
  /** Values of the entry's own header that differ from the directory. */
  readonly local?: { readonly name?: string; readonly crc?: number; readonly size?: number; readonly flags?: number };
  /** The place in the file that the directory states. */
  readonly offset?: number;
  /** Bytes after the entry that belong to no entry. */
  readonly gap?: string;
  readonly extra?: Buffer;
  /** Fields of the local header; those of the directory by default. */
  readonly localExtra?: Buffer;
}

/** Writes a ZIP byte by byte, valid or not. */
export function rawZip(
  entries: readonly RawEntry[],
  end: { readonly comment?: string; readonly behind?: string } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content);
    const data = entry.deflated === true ? deflateRawSync(content) : content;
    const facts = {
      flags: entry.flags ?? 0,
      method: entry.method ?? (entry.deflated === true ? 8 : 0),
      crc: checksum(content),
      compressed: data.length,
      size: entry.statedSize ?? content.length,
    };
    const { name = entry.name, ...otherwise } = entry.local ?? {};
    const localExtra = entry.localExtra ?? entry.extra;
    const local = Buffer.concat([
      header(0x04034b50, [], { ...facts, ...otherwise }, name, localExtra),
      Buffer.from(name, 'latin1'),
      localExtra ?? Buffer.alloc(0),
      data,
      Buffer.from(entry.gap ?? ''),
    ]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((entry.externalAttributes ?? 0) >>> 0, 6);
    rest.writeUInt32LE(entry.offset ?? position, 10);
    directory.push(
      header(0x02014b50, [0x0314], facts, entry.name, entry.extra),
      rest,
      Buffer.from(entry.name, 'latin1'),
      entry.extra ?? Buffer.alloc(0),
    );
    parts.push(local);
    position += local.length;
  }
  const list = Buffer.concat(directory);
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(entries.length, 8);
  last.writeUInt16LE(entries.length, 10);
  last.writeUInt32LE(list.length, 12);
  last.writeUInt32LE(position, 16);
  last.writeUInt16LE((end.comment ?? '').length, 20);
  return Buffer.concat([...parts, list, last, Buffer.from(end.comment ?? ''), Buffer.from(end.behind ?? '')]);
}

interface Facts {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
}

/** The part that both headers of an entry have, up to the lengths of name and extra fields. */
function header(signature: number, madeBy: readonly number[], facts: Facts, name: string, extra?: Buffer): Buffer {
  const bytes = Buffer.alloc(30);
  let at = bytes.writeUInt32LE(signature, 0);
  for (const version of madeBy) at = bytes.writeUInt16LE(version, at);
  for (const value of [20, facts.flags, facts.method, 0, 0]) at = bytes.writeUInt16LE(value, at);
  // A header with one field more needs two bytes more.
  const whole = madeBy.length > 0 ? Buffer.concat([bytes, Buffer.alloc(2)]) : bytes;
  for (const value of [facts.crc, facts.compressed, facts.size]) at = whole.writeUInt32LE(value, at);
  at = whole.writeUInt16LE(name.length, at);
  whole.writeUInt16LE(extra?.length ?? 0, at);
  return whole;
}

function checksum(content: Buffer): number {
  return crc32(content);
}
