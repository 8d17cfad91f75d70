import { sealedAt, type Batch, type Spool } from './spool.js';

/** A spool that ends with the process. */
export function createMemorySpool(): Spool {
  const texts: string[] = [];
  let bytes = 0;
  return {
    put: (text) => {
      texts.push(text);
      bytes += text.length;
    },
    next: async (maxLines): Promise<Batch | null> =>
      texts.length === 0
        ? null
        : {
            texts: texts.slice(0, maxLines),
            acknowledge: (count) => {
              for (const text of texts.splice(0, count)) bytes -= text.length;
            },
            keep: () => undefined,
          },
    heads: () => texts.slice(0, 1),
    bury: () => undefined,
    get waiting() {
      return texts.length;
    },
    get waitingBytes() {
      return bytes;
    },
    get oldestAt() {
      return sealedAt(texts[0] ?? '');
    },
    torn: 0,
    adopted: 0,
    close: async () => undefined,
  };
}
