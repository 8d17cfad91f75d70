// Renders that are certified while the renderer is killed: an answer with a certificate has the picture that it names.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Seeds of the one sketch: the same seed gives the same pixels, from whichever node and renderer. */
const SEEDS = 3;
const CODE = `function setup() {
  background(240);
  for (let i = 0; i < 40; i++) { fill(random(255), random(255), 200); circle(random(width), random(height), 120); }
}`;
const RENDERED_WITHIN_MS = 180_000;
/** A render takes longer than this, in ms: it is drawn twice, in separate pages. */
const DRAWN_WITHIN_MS = 400;

const sha256 = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export class Renders {
  #pixels = new Map();
  #underWay = 0;
  /** Renders that were answered with a picture. */
  certified = 0;
  /** Kills of the renderer while it drew. */
  interrupted = 0;

  /** @param {import('./ledger.mjs').Ledger} ledger */
  constructor(ledger) {
    this.ledger = ledger;
  }

  requestOf(executionId, number) {
    return { executionId, code: CODE, seed: `seed ${number % SEEDS}`, VAR: [], certify: true };
  }

  /** @param {() => Promise<object | null>} ask a request, which is under way until it is answered */
  async counting(ask) {
    this.#underWay += 1;
    try {
      return await ask();
    } finally {
      this.#underWay -= 1;
    }
  }

  /**
   * Starts a render, and kills the renderer at a random moment of it.
   * @returns when the render was answered or refused
   */
  async interrupt(render, kill, random) {
    const answered = render();
    await sleep(random() * DRAWN_WITHIN_MS);
    if (this.#underWay > 0) this.interrupted += 1;
    await kill();
    return answered;
  }

  /** An answer with status 200: its picture is the one in its certificate, and the one of its seed. */
  accept(request, { certificateHash, cer, pngBase64, pixelHash }) {
    const { imageHash, outputHash } = cer?.snapshot ?? {};
    const { picture, certificate } = takeApart(Buffer.from(pngBase64 ?? '', 'base64'));
    const { ledger } = this;
    const faults = [
      [picture === null, 'has no picture'],
      [picture !== null && sha256(picture) !== imageHash, 'has another picture than its certificate names'],
      [certificate?.certificateHash !== certificateHash, 'does not carry its certificate'],
      [pixelHash === undefined || pixelHash !== outputHash, 'has other pixels than its certificate names'],
      [outputHash !== (this.#pixels.get(request.seed) ?? outputHash), 'has other pixels than an earlier render'],
    ];
    for (const [isFault, what] of faults) if (isFault) ledger.breaches.push(`render ${request.executionId} ${what}`);
    this.#pixels.set(request.seed, outputHash);
    this.certified += 1;
    ledger.acknowledge(request.executionId, certificateHash, null, request);
  }

  /** Every certificate of a render in the database has the pixels of its seed, answered or not. @returns their number */
  async judge(rows) {
    const stored = await rows(
      "select execution_id, bundle_json from records where bundle_json like '%cer.codemode.render.v1%'",
    );
    for (const { execution_id: id, bundle_json: json } of stored) {
      const { seed, outputHash } = JSON.parse(json).snapshot;
      if (outputHash !== (this.#pixels.get(seed) ?? outputHash))
        this.ledger.breaches.push(`render ${id} is stored with other pixels than another one`);
      this.#pixels.set(seed, outputHash);
    }
    return stored.length;
  }

  /** Each node certifies a picture after the kills. @param {(nodeUrl: string) => Promise<void>} render */
  async recovered(nodeUrls, render) {
    for (const url of nodeUrls) {
      const before = this.certified;
      for (const deadline = Date.now() + RENDERED_WITHIN_MS; this.certified === before; await sleep(200)) {
        if (Date.now() > deadline) {
          this.ledger.breaches.push(`${url} certifies no render after the kills`);
          break;
        }
        await render(url);
      }
    }
  }
}

/** A PNG without its iTXt chunk `cer`, and the certificate in that chunk. @see docs/spec.md, "Certificates in pictures" */
function takeApart(png) {
  if (!png.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return { picture: null };
  const parts = [png.subarray(0, 8)];
  let certificate = null;
  let isWhole = false;
  for (let at = 8; at + 12 <= png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    const chunk = png.subarray(at, end);
    const type = chunk.toString('latin1', 4, 8);
    const data = chunk.subarray(8, -4);
    if (type === 'iTXt' && data.toString('latin1', 0, 4) === 'cer\0')
      certificate = JSON.parse(data.toString('utf8', 8));
    else parts.push(chunk);
    isWhole = type === 'IEND' && end === png.length;
    at = end;
  }
  return { picture: isWhole ? Buffer.concat(parts) : null, certificate };
}
