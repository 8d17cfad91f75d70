import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { attest, keySet, object, pick, render, seal, v1, type Json, type JsonObject } from '../forge.js';
import { fails, passes } from '../vector.js';

// Pictures are forged from the PNG specification and "Certificates in pictures", not by the code under test.

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const HEAD = 'cer\0\0\0\0\0';

function chunk(type: string, data: string | Uint8Array = ''): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data)]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** A PNG of one grey pixel. @param before chunks directly after IHDR @param after chunks directly before IEND */
function png(grey: number, after: readonly Uint8Array[] = [], before: readonly Uint8Array[] = []): Buffer {
  // One stored block of deflate with the row's filter and its pixel, and Adler-32 of both.
  const pixel = [0x78, 1, 1, 2, 0, 0xfd, 0xff, 0, grey, 0, 2 + grey, 0, 1 + grey];
  const head = chunk('IHDR', Uint8Array.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]));
  return Buffer.concat([
    ...[SIGNATURE, head, ...before, chunk('IDAT', Uint8Array.from(pixel)), ...after, chunk('IEND')],
  ]);
}

function hashOfBytes(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

/** A file and what a verifier must report of it. */
export interface PictureVector {
  readonly id: string;
  readonly rule: string;
  /** base64url. */
  readonly picture: string;
  readonly expected: JsonObject;
}

/** @see docs/spec.md, "Certificates in pictures" */
export async function pictureFamily(): Promise<JsonObject> {
  const [grey, other, text] = [png(120), png(121), chunk('tEXt', 'Comment\0cer')];
  const certificateOf = (picture: Uint8Array): Promise<JsonObject> =>
    attest(seal(render({ protocolVersion: '1.3.0', imageHash: hashOfBytes(picture) })));
  const certificate = await certificateOf(grey);
  const carrier = (value: Json, head = HEAD): Buffer => chunk('iTXt', head + JSON.stringify(value));
  const own = carrier(certificate);
  const carried = png(120, [own]);
  const checked = (of: Uint8Array, named: Uint8Array | null = grey): JsonObject => {
    const [imageHash, certifiedHash] = [hashOfBytes(of), named === null ? null : hashOfBytes(named)];
    return { picture: { imageHash, certifiedHash, isCertified: imageHash === certifiedHash } };
  };
  const isOwn = passes('PPPP', checked(grey));
  const isOther = (of: Uint8Array, named: Uint8Array | null = grey): JsonObject => ({
    ...pick(fails('OUTPUT_HASH_MISMATCH', 'snapshot.imageHash'), ['status', 'code', 'member']),
    ...checked(of, named),
  });
  const refused: JsonObject = { refused: 'SCHEMA_ERROR' };
  const execution = await attest(seal(v1()));
  const changed = { ...certificate, createdAt: '2026-02-03T04:05:06.789Z' };
  const commented = png(120, [text]);
  const lines: readonly (readonly [id: string, rule: string, file: Buffer, expected: JsonObject])[] = [
    ['before-iend', 'The chunk is directly before IEND; the picture is the file without it.', carried, isOwn],
    ['after-ihdr', 'Readers take the chunk wherever it is between IHDR and IEND.', png(120, [], [own]), isOwn],
    [
      'package',
      'The text is the JSON of a bundle or a package.',
      png(120, [carrier({ cer: certificate, ...pick(object(certificate['meta']), ['attestation']) })]),
      { ...checked(grey), status: 'VERIFIED', code: 'OK' },
    ],
    [
      'with-comment',
      'Text chunks of another type or keyword are part of the picture.',
      png(120, [text, carrier(await certificateOf(commented))]),
      passes('PPPP', checked(commented, commented)),
    ],
    ['none', 'A PNG without a certificate has nothing to verify.', commented, { certificate: null }],
    ['changed-pixel', 'The picture has the imageHash that the certificate names.', png(121, [own]), isOther(other)],
    [
      'comment-added',
      'Text chunks of another type or keyword are part of the picture.',
      png(120, [text, own]),
      isOther(commented),
    ],
    [
      'no-picture-named',
      'A certificate that names no picture is of none.',
      png(120, [carrier(execution)]),
      isOther(grey, null),
    ],
    [
      'content-changed-too',
      'The hash of the picture is compared after the findings of layer 1.',
      png(121, [carrier(changed)]),
      { status: 'FAILED', code: 'CERTIFICATE_HASH_MISMATCH' },
    ],
    ['two-certificates', 'Two certificates are refused.', png(120, [own, own]), refused],
    ['wrong-crc', 'A certificate whose CRC is wrong is refused.', flipped(carried, carried.length - 13), refused],
    ['compressed', 'A compressed certificate is refused.', png(120, [carrier(certificate, 'cer\0\x01\0\0\0')]), refused],
    ['language', 'A certificate with a language is refused.', png(120, [carrier(certificate, 'cer\0\0\0en\0\0')]), refused],
    ['bytes-after-iend', 'Bytes after IEND are refused.', Buffer.concat([carried, chunk('tEXt', 'a\0b')]), refused],
    ['cut-in-chunk', 'A chunk beyond the end of the file is refused.', carried.subarray(0, -20), refused],
    ['iend-missing', 'There is one IEND chunk, the last.', carried.subarray(0, -12), refused],
    ['two-heads', 'There is one IHDR chunk, the first.', png(120, [own], [chunk('IHDR', '0')]), refused],
  ];
  const tests = lines.map(([id, rule, file, expected]) => ({
    ...{ id, rule, picture: file.toString('base64url'), expected },
  }));
  const heading = 'Certificates in pictures';
  const description = 'PNG files and the certificates that they carry.';
  return { family: 'pictures', description, heading, keySet: keySet(), tests };
}
