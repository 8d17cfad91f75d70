import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { OpeningResult } from '../../check/open-field.js';
import { TEXTS } from '../../view/texts.js';
import { LatestAnswer } from './latest-answer.js';
import type { ToolProps } from './tool-props.js';

const T = TEXTS.tools;

/** Checks a salt and a raw value against a commitment, without sending either anywhere. */
export function OpeningTool({ engine, source }: ToolProps): VNode {
  const [result, setResult] = useState<OpeningResult | 'crashed' | null>(null);
  const [latest] = useState(() => new LatestAnswer());
  // The result is shown only beside the values that it is for.
  const forget = (): void => {
    latest.forget();
    setResult(null);
  };
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const fields = new FormData(form);
    const text = (name: string): string => {
      const value = fields.get(name);
      return typeof value === 'string' ? value : '';
    };
    const field = text('field') === 'output' ? 'output' : 'input';
    const valueType = text('type') === 'json' ? 'json' : 'text';
    const claim = { source, field, valueType, salt: text('salt'), value: withPlainLineEnds(text('value')) } as const;
    const found = await latest.of(engine.ask('open', claim).catch(() => 'crashed' as const));
    if (found !== null) setResult(found);
  };
  return (
    <details class="card tool fold" id="opening-tool">
      <summary>
        <h2>{T.opening}</h2>
      </summary>
      <p>{T.openingLead}</p>
      <form
        class="form"
        onInput={forget}
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <label for="opening-field">{T.openingField}</label>
        <select id="opening-field" name="field">
          <option value="input">input</option>
          <option value="output">output</option>
        </select>
        <label for="opening-salt">{T.openingSalt}</label>
        <input id="opening-salt" name="salt" required autocomplete="off" spellcheck={false} />
        <label for="opening-type">{T.openingType}</label>
        <select id="opening-type" name="type">
          <option value="text">{T.openingText}</option>
          <option value="json">{T.openingJson}</option>
        </select>
        <label for="opening-value">{T.openingValue}</label>
        <textarea id="opening-value" name="value" rows={4} spellcheck={false} />
        <button type="submit" class="button">
          {T.openingCheck}
        </button>
      </form>
      <div aria-live="polite">
        {result !== null && (
          <>
            <p class={result === 'opens' ? 'outcome good' : 'outcome bad'} data-opening={result}>
              {result === 'crashed' ? T.crashed : T.openingResults[result]}
            </p>
            <p class="note">{T.openingNote}</p>
          </>
        )}
      </div>
    </details>
  );
}

/** A form submits line ends as CR LF; the typed text had LF. */
function withPlainLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
