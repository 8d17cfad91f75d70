import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { TEXTS } from '../../view/texts.js';
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
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setFault(file.size > MAX_BYTES ? T.tooLarge : null);
    if (file.size > MAX_BYTES) return;
    onGiven({ name: file.name, source: new Uint8Array(await file.arrayBuffer()), askedHash: null });
  };
  return (
    <div
      class={isOver ? 'drop-zone over' : 'drop-zone'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer?.files[0]);
      }}
    >
      {saved !== null && (
        <p>
          <button
            type="button"
            class="button"
            onClick={() => {
              onGiven(savedAsGiven(saved));
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
      <textarea id={`${id}-text`} ref={text} rows={4} spellcheck={false} />
      {fault !== null && <p class="warning">{fault}</p>}
      <p class="row">
        <button
          type="button"
          class="button quiet"
          id={`${id}-check`}
          onClick={() => {
            const pasted = text.current?.value ?? '';
            if (pasted.trim() !== '') onGiven({ name: '', source: pasted, askedHash: null });
          }}
        >
          {T.check}
        </button>
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            if (text.current !== null) text.current.value = '';
            setFault(null);
            onGiven(null);
          }}
        >
          {T.clear}
        </button>
      </p>
    </div>
  );
}

/** The record of a saved page, as if the visitor had opened it. */
export function savedAsGiven({ hash, record }: SavedRecord): Given {
  return { name: hash, source: record, askedHash: hash };
}
