// Acknowledged answers, as a client would remember them: by executionId the hash and the answer.
import { createHash } from 'node:crypto';

export class Ledger {
  #kept = new Map();
  /** Breaches that showed up in answers. */
  breaches = [];
  acknowledged = 0;
  refused = 0;
  unanswered = 0;

  get size() {
    return this.#kept.size;
  }

  /** @param {string | null} text the whole answer; null where only the hash was answered */
  acknowledge(id, certificateHash, text, request) {
    this.acknowledged += 1;
    const digest = text === null ? null : digestOf(text);
    const kept = this.#kept.get(id);
    if (kept === undefined) {
      this.#kept.set(id, { certificateHash, digest, request });
      return;
    }
    if (kept.certificateHash !== certificateHash) this.breaches.push(`${id} has two hashes`);
    if (kept.digest !== null && digest !== null && kept.digest !== digest)
      this.breaches.push(`${id} replayed another body`);
    kept.digest ??= digest;
    kept.request ??= request;
  }

  entries() {
    return [...this.#kept];
  }

  /** A request whose answer is known, to be sent again. */
  sample(random) {
    this.list ??= [];
    if (this.list.length !== this.#kept.size)
      this.list = [...this.#kept.values()].filter(({ digest }) => digest !== null);
    return this.list[Math.floor(random() * this.list.length)]?.request ?? null;
  }
}

/** The bytes of an answer without the log proofs, which a replay gains once the log shows the record. */
function digestOf(text) {
  const answer = JSON.parse(text);
  delete answer.logProofs;
  delete answer.cer?.meta?.logProofs;
  return createHash('sha256').update(JSON.stringify(answer)).digest('base64');
}
