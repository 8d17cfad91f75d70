import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { TEXTS } from '../../view/texts.js';
import { LatestAnswer } from './latest-answer.js';

interface TrustPanelProps<Listed> {
  readonly id: string;
  /** Types of files, as of an input. */
  readonly accept: string;
  readonly texts: Readonly<Record<'title' | 'lead' | 'none' | 'chosen' | 'bad' | 'load' | 'clear', string>>;
  /** What a text contains; null: something else. @throws EngineFailure */
  readonly list: (text: string) => Promise<Listed | null>;
  readonly items: (listed: Listed) => ComponentChildren;
  /** The text of the chosen file; null: none is chosen. */
  readonly onText: (text: string | null) => void;
}

/** A file with which the visitor chooses whom to trust. The page brings none: that would be the operator's choice. */
export function TrustPanel<Listed>({ id, accept, texts, list, items, onText }: TrustPanelProps<Listed>): VNode {
  const [listed, setListed] = useState<Listed | null>(null);
  const [message, setMessage] = useState(texts.none);
  // A file may be read slowly, and the visitor may have given another one or none by then.
  const [latest] = useState(() => new LatestAnswer());
  const input = useRef<HTMLInputElement>(null);
  const choose = (content: Listed | null, text: string | null, said: string): void => {
    setListed(() => content);
    setMessage(said);
    onText(text);
  };
  const read = async (file: File) => {
    const text = await file.text().catch(() => null);
    return { text, content: text === null ? null : await list(text).catch(() => 'crashed' as const) };
  };
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const found = await latest.of(read(file));
    if (found === null) return;
    const { text, content } = found;
    if (content === 'crashed') choose(null, null, TEXTS.tools.crashed);
    else if (content === null) choose(null, null, texts.bad);
    else choose(content, text, texts.chosen);
  };
  return (
    <div class="key-panel" data-chosen={listed !== null}>
      <h3>{texts.title}</h3>
      <p class="note">{texts.lead}</p>
      <p aria-live="polite">{message}</p>
      {listed !== null && <ul class="fingerprints">{items(listed)}</ul>}
      <p class="row">
        <label class="button quiet file-button" for={id}>
          {texts.load}
          <input
            id={id}
            ref={input}
            type="file"
            accept={accept}
            onChange={(event) => {
              void take(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        {listed !== null && (
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              // This button goes, and would take the focus with it.
              input.current?.focus();
              latest.forget();
              choose(null, null, texts.none);
            }}
          >
            {texts.clear}
          </button>
        )}
      </p>
    </div>
  );
}
