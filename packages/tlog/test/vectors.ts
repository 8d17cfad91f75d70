import type { JsonValue } from '@cer/canonical-json';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const FOLDER = join(__dirname, '../vectors');

export function readText(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

export function readBytes(name: string): Uint8Array {
  return readFileSync(join(FOLDER, name));
}

function read<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> {
  return schema.parse(JSON.parse(readText(name)));
}

const Head = z.object({ size: z.number(), root: z.string() });
const InclusionCase = z.object({
  leafIndex: z.number(),
  treeSize: z.number(),
  leafHash: z.string(),
  root: z.string(),
  path: z.array(z.string()),
});
const ConsistencyCase = z.object({
  size1: z.number(),
  size2: z.number(),
  root1: z.string(),
  root2: z.string(),
  path: z.array(z.string()),
});

export const TREE = read(
  'tree.json',
  z.object({
    tileNames: z.array(z.tuple([z.number(), z.string()])),
    heads: z.array(Head),
    inclusion: z.array(InclusionCase),
    consistency: z.array(ConsistencyCase),
    mustFail: z.array(
      z.discriminatedUnion('kind', [
        InclusionCase.extend({ kind: z.literal('inclusion'), why: z.string() }),
        ConsistencyCase.extend({ kind: z.literal('consistency'), why: z.string() }),
      ]),
    ),
  }),
);

const Json = z.custom<JsonValue>();
const Label = z.object({
  appId: z.string().nullable(),
  at: z.string(),
  bundleType: z.string().nullable(),
  kind: z.enum(['certificate', 'hash-only', 'reseal', 'project', 'again', 'deletion']),
  number: z.number(),
  tenant: z.string(),
});

export const LEAVES = read(
  'leaves.json',
  z.array(
    z.object({
      index: z.number(),
      tenantId: z.string(),
      seed: z.string(),
      receipt: Json,
      signature: z.string(),
      receiptDigest: z.string(),
      receiptSalt: z.string(),
      tenantSalt: z.string(),
      label: Label,
      labelText: z.string(),
      receiptCommitment: z.string(),
      tenantCommitment: z.string(),
      entry: z.string(),
      leafHash: z.string(),
    }),
  ),
);

export const PROOFS = read(
  'proofs.json',
  z.object({
    mmdSeconds: z.number(),
    proofs: z.array(
      z.object({
        index: z.number(),
        size: z.number(),
        form: z.enum(['public', 'owner']),
        receipt: z.record(z.string(), z.string()),
        signature: z.string(),
        proof: z.string(),
        notBefore: z.string().nullable(),
        expect: z.string(),
        why: z.string().optional(),
      }),
    ),
  }),
);

const Element = z.object({ key: z.string(), value: z.string() });
export const COMPLETENESS = read(
  'completeness.json',
  z.object({
    nodeId: z.string(),
    epochs: z.array(
      z.object({
        epoch: z.number(),
        entry: z.string(),
        entryHash: z.string(),
        map: z.array(Element),
        mapRoot: z.string(),
        tenants: z.array(
          z.object({
            tenantId: z.string(),
            tag: z.string(),
            head: Head,
            value: z.string(),
            siblings: z.array(z.string()),
          }),
        ),
        absent: z.array(
          z.object({ tenantId: z.string(), tag: z.string(), siblings: z.array(z.string()), end: Element.nullable() }),
        ),
      }),
    ),
    epochProofs: z.array(z.object({ epoch: z.number(), proof: z.string() })),
    smallMaps: z.array(
      z.object({
        sharedBits: z.number(),
        map: z.array(Element),
        root: z.string(),
        siblingsOfFirst: z.array(z.string()),
      }),
    ),
    emptyMapRoot: z.string(),
    peaks: z.array(z.object({ size: z.number(), peaks: z.array(z.string()), root: z.string() })),
    range: z.object({
      tenantId: z.string(),
      tag: z.string(),
      fromEpoch: z.number(),
      toEpoch: z.number(),
      fromSize: z.number(),
      toSize: z.number(),
      peaks: z.array(z.string()),
      consistency: z.array(z.string()),
      leaves: z.array(z.object({ number: z.number(), opening: z.record(z.string(), Json) })),
    }),
  }),
);

export const KEYS = read(
  'keys.json',
  z.record(z.string(), z.object({ vkey: z.string(), seed: z.string(), publicKey: z.string() })),
);
export const LOG_300_TILES = read(
  'log-plain-300/tiles.json',
  z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
);

/** `sha256:` and hex to bytes. */
export function hashBytes(text: string): Uint8Array {
  return Buffer.from(text.replace(/^sha256:/, ''), 'hex');
}
