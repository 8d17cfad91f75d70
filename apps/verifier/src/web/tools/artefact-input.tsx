import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { visible } from '@cer/pages/visible';
import { TEXTS } from '../../view/texts.js';
import { LatestAnswer } from './latest-answer.js';
import { useDrops } from './use-drops.js';
import type { SavedRecord } from '../../check/saved-record.js';

const T = TEXTS.tools;
const MAX_BYTES = 512 * 1024 * 1024;

/** The text to check, and where it came from. */
export interface Given {
  readonly name: string;
  readonly source: Uint8Array | string;
  /** Set for a saved record: the hash it was saved for. */
  readonly askedHash: string | null;
}

interface ArtefactInputProps {
  readonly id: string;
  readonly onGiven: (given: Given | null) => void;
  readonly saved: SavedRecord | null;
}

/** Drop, pick or paste. Nothing is read before the visitor does one of them. */
export function ArtefactInput({ id, onGiven, saved }: ArtefactInputProps): VNode {
  const [fault, setFault] = useState<string | null>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  // A file may be read slowly, and the visitor may have given another one by then.
  const [latest] = useState(() => new LatestAnswer());
  // The verdict of pasted text names no file: it is shown only beside that text.
  const isPasted = useRef(false);
  const give = (given: Given | null): void => {
    latest.forget();
    isPasted.current = false;
    setFault(null);
    onGiven(given);
  };
  const take = async (file: File | undefined, note: string | null = null): Promise<void> => {
    if (file === undefined) return;
    // A verdict that is still shown would be taken for that of this file.
    give(null);
    const read = await latest.of(file.size > MAX_BYTES ? Promise.resolve(T.tooLarge) : bytesOf(file));
    if (read === null) return;
    setFault(typeof read === 'string' ? read : note);
    if (typeof read !== 'string') onGiven({ name: visible(file.name), source: read, askedHash: null });
  };
  const takeDropped = (files: FileList): void => {
    if (files.length > 0) {
      void take(files[0], files.length > 1 ? T.oneFile : null);
      return;
    }
    give(null);
    setFault(T.notAFile);
  };
  const zone = useRef<HTMLDivElement>(null);
  const isOver = useDrops(zone, takeDropped);
  return (
    <div class={isOver ? 'drop-zone over' : 'drop-zone'} ref={zone}>
      {saved !== null && (
        <p>
          <button
            type="button"
            class="button"
            onClick={() => {
              give(savedAsGiven(saved));
            }}
          >
            {TEXTS.offline.savedCheck}
          </button>
        </p>
      )}
      <p class="drop-hint">{T.drop}</p>
      <label class="button file-button" for={`${id}-file`}>
        {T.pick}
        <input
          id={`${id}-file`}
          type="file"
          accept=".json,.png,application/json,image/png"
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      <label for={`${id}-text`}>{T.paste}</label>
      <textarea
        id={`${id}-text`}
        ref={text}
        rows={4}
        spellcheck={false}
        onInput={() => {
          if (isPasted.current) give(null);
        }}
      />
      <div aria-live="polite">{fault !== null && <p class="warning">{fault}</p>}</div>
      <p class="row">
        <button
          type="button"
          class="button quiet"
          id={`${id}-check`}
          onClick={() => {
            const pasted = text.current?.value ?? '';
            if (pasted.trim() === '') {
              setFault(T.nothingGiven);
              return;
            }
            give({ name: T.pasted, source: pasted, askedHash: null });
            isPasted.current = true;
          }}
        >
          {T.check}
        </button>
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            if (text.current !== null) text.current.value = '';
            give(null);
          }}
        >
          {T.clear}
        </button>
      </p>
    </div>
  );
}

/** The bytes of a file, or the message that it cannot be read: a folder is dropped as a file too. */
async function bytesOf(file: File): Promise<Uint8Array | string> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    return T.unreadable;
  }
}

/** The record of a saved page, as if the visitor had opened it. */
export function savedAsGiven({ hash, record }: SavedRecord): Given {
  return { name: hash, source: record, askedHash: hash };
}
