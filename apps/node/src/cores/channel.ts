import * as z from 'zod';

/** The other end of the channel between the primary process of a node and one of its workers. */
export interface Peer {
  /** Calls back with an error when the other process has ended. */
  readonly send: (message: object, sent: (error: Error | null) => void) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
}

/** Answers a question of the other process. */
export type Answerer = (payload: unknown) => unknown;

/** The other process ended, or refused the question. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
}

const Message = z.discriminatedUnion('cer', [
  z.object({ cer: z.literal('question'), id: z.number(), name: z.string(), payload: z.unknown() }),
  z.object({ cer: z.literal('answer'), id: z.number(), payload: z.unknown() }),
  z.object({ cer: z.literal('refusal'), id: z.number() }),
  z.object({ cer: z.literal('note'), name: z.string(), payload: z.unknown() }),
]);

interface Asked {
  readonly resolve: (payload: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Questions, answers and notes between two processes of one node, in both directions. */
export class Channel {
  readonly #peer: Peer;
  readonly #answerers = new Map<string, Answerer>();
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #isEnded = false;

  constructor(peer: Peer) {
    this.#peer = peer;
    peer.onMessage((message) => {
      // The cluster module sends its own messages.
      const { success, data } = Message.safeParse(message);
      if (success) this.#receive(data);
    });
  }

  /** Registers the handler for questions or notes of a name; the last one counts. */
  on(name: string, answerer: Answerer): void {
    this.#answerers.set(name, answerer);
  }

  /** @throws ChannelError */
  async ask(name: string, payload: unknown = null): Promise<unknown> {
    if (this.#isEnded) throw new ChannelError(`${name}: the other process has ended`);
    const id = (this.#lastId += 1);
    return await new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#send({ cer: 'question', id, name, payload });
    });
  }

  /** Sends a note, which needs no answer. */
  note(name: string, payload: unknown = null): void {
    if (!this.#isEnded) this.#send({ cer: 'note', name, payload });
  }

  /** The other process has ended: open questions are rejected. */
  end(): void {
    this.#isEnded = true;
    for (const [id] of this.#asked) this.#refused(id);
  }

  #send(message: z.input<typeof Message>): void {
    this.#peer.send(message, (error) => {
      if (error !== null && message.cer === 'question') this.#refused(message.id);
    });
  }

  #receive(message: z.output<typeof Message>): void {
    if (message.cer === 'question') {
      void this.#answer(message.id, message.name, message.payload);
    } else if (message.cer === 'note') {
      this.#answerers.get(message.name)?.(message.payload);
    } else if (message.cer === 'refusal') {
      this.#refused(message.id);
    } else {
      const asked = this.#asked.get(message.id);
      this.#asked.delete(message.id);
      asked?.resolve(message.payload);
    }
  }

  async #answer(id: number, name: string, payload: unknown): Promise<void> {
    try {
      const answerer = this.#answerers.get(name);
      if (answerer === undefined) throw new ChannelError(`${name}: the other process has no handler`);
      this.#send({ cer: 'answer', id, payload: await answerer(payload) });
    } catch {
      // The reason stays in this process, which reports it.
      this.#send({ cer: 'refusal', id });
    }
  }

  #refused(id: number): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    asked?.reject(new ChannelError('the other process did not answer'));
  }
}
