import { PortableContext, takeGetter, takeMethod, takeSetter } from '@cer/sketch-engine';
import { PAGE_EVENTS } from './page-events.js';

/** Buffers that came back. */
interface Spare {
  readonly bytes: Uint8Array;
  readonly next: Spare | undefined;
}

/**
 * Sends pictures to the reader: a copy of the engine's memory, premultiplied, in a buffer that changes its owner and comes
 * back. A new one each time would cost more than the copy.
 * @returns the function that sends the picture as it is
 */
export function pictureSender(ctx: PortableContext): () => void {
  const portsOf = takeGetter(MessageEvent.prototype, 'ports');
  const dataOf = takeGetter(MessageEvent.prototype, 'data');
  const setOnMessage = takeSetter(MessagePort.prototype, 'onmessage');
  const post = takeMethod(MessagePort.prototype, 'postMessage');
  const Bytes = Uint8Array;
  // Not an array, which a sketch could alter by changes to all arrays.
  let spare: Spare | undefined;
  let port: MessagePort | undefined;
  addEventListener(
    PAGE_EVENTS.port,
    (event) => {
      [port] = portsOf(event) as readonly MessagePort[];
      if (port === undefined) return;
      setOnMessage(port, (back: Event) => {
        spare = { bytes: new Bytes(dataOf(back) as ArrayBuffer), next: spare };
      });
    },
    { capture: true, once: true },
  );
  return () => {
    if (port === undefined) return;
    const pixels = PortableContext.pixelsOf(ctx);
    const copy = spare?.bytes ?? new Bytes(pixels.length);
    spare = spare?.next;
    copy.set(pixels);
    post(port, copy.buffer, [copy.buffer]);
  };
}
