import { testSigner } from '@cer/keys/testing';
import { cosign } from '../note/checkpoint.js';
import { formatVkey, noteKeyOf, type NoteKey } from '../note/vkey.js';

/** A witness that cosigns every checkpoint; refusals are tested elsewhere. */
export class TestWitness {
  readonly key: NoteKey;
  readonly #signer;

  constructor(name: string) {
    this.#signer = testSigner(`witness ${name}`);
    this.key = noteKeyOf(name, 'cosignature', this.#signer.publicKey.raw);
  }

  get vkey(): string {
    return formatVkey(this.key);
  }

  /** @param text of a checkpoint @param time in seconds since 1970 @returns its line */
  async cosign(text: string, time: number): Promise<string> {
    return cosign(text, time, this.key, this.#signer);
  }
}
