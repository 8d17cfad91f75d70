import { html, type Html, type HtmlValue } from '@cer/pages';
import type { FormFault } from './form.js';

export const FORM_TOKEN = 'form_token';

export function formTokenField(formToken: string): Html {
  return html`<input type="hidden" name="${FORM_TOKEN}" value="${formToken}" />`;
}

export interface TextField {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: 'text' | 'email' | 'password' | 'number';
  readonly hint?: string;
  readonly autocomplete?: string;
  readonly optional?: boolean;
  readonly faults?: readonly FormFault[] | undefined;
}

/** A labelled input; its hint and its fault are read out with it. */
export function textField(field: TextField): Html {
  const { name, label, value, type = 'text', hint, autocomplete = 'off', optional, faults } = field;
  const fault = faultOf(name, faults);
  return html`<div class="field">
    <label for="${name}">${label}${optional === true && html` <span class="muted">(optional)</span>`}</label>
    ${notes(name, hint, fault)}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      ${value !== undefined && html`value="${value}"`}
      ${optional !== true && html`required`}
      ${type === 'number' && html`min="1" step="1" inputmode="numeric"`}
      ${type === 'email' && html`spellcheck="false" autocapitalize="none"`}
      ${describedBy(name, hint, fault)}
    />
  </div>`;
}

/** A labelled text of several lines. */
export function linesField({ name, label, value = '', hint, faults }: TextField): Html {
  const fault = faultOf(name, faults);
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${notes(name, hint, fault)}
    <textarea id="${name}" name="${name}" rows="3" spellcheck="false" ${describedBy(name, hint, fault)}>
${value}</textarea>
  </div>`;
}

export interface Choice {
  readonly value: string;
  readonly label: HtmlValue;
  readonly hint?: string;
  readonly chosen: boolean;
}

/** A group of checkboxes or radio buttons under one question. */
export function choiceField(
  type: 'checkbox' | 'radio',
  name: string,
  legend: string,
  choices: readonly Choice[],
  faults?: readonly FormFault[],
): Html {
  const fault = faultOf(name, faults);
  return html`<fieldset id="${name}" tabindex="-1" ${fault !== undefined && html`aria-describedby="${name}-fault"`}>
    <legend>${legend}</legend>
    ${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}
    ${choices.map(({ value, label, hint, chosen }) => {
      const id = `${name}-${value}`;
      return html`<div class="choice">
        <input
          type="${type}"
          id="${id}"
          name="${name}"
          value="${value}"
          ${chosen && html`checked`}
          ${hint !== undefined && html`aria-describedby="${id}-hint"`}
        />
        <label for="${id}">${label}</label>
        ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      </div>`;
    })}
  </fieldset>`;
}

/** A labelled list to choose one value from. */
export function selectField(name: string, label: string, choices: readonly Choice[], hint?: string): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${notes(name, hint, undefined)}
    <select id="${name}" name="${name}" ${describedBy(name, hint, undefined)}>
      ${choices.map(
        (choice) => html`<option value="${choice.value}" ${choice.chosen && html`selected`}>${choice.label}</option>`,
      )}
    </select>
  </div>`;
}

/** The faults of a form, at the top of its page, each a link to its field. */
export function faultSummary(
  faults: readonly FormFault[] | undefined,
  title = 'There is something to correct',
): Html | false {
  if (faults === undefined || faults.length === 0) return false;
  return html`<div class="notice bad" role="alert">
    <h2>${title}</h2>
    <ul>
      ${faults.map(({ field, sentence }) => html`<li><a href="#${field}">${sentence}</a></li>`)}
    </ul>
  </div>`;
}

function faultOf(name: string, faults: readonly FormFault[] | undefined): string | undefined {
  return faults?.find(({ field }) => field === name)?.sentence;
}

function notes(name: string, hint: string | undefined, fault: string | undefined): Html {
  return html`${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  ${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}`;
}

function describedBy(name: string, hint: string | undefined, fault: string | undefined): Html | false {
  const ids = [hint !== undefined && `${name}-hint`, fault !== undefined && `${name}-fault`].filter(Boolean).join(' ');
  if (ids === '') return false;
  return html`aria-describedby="${ids}" ${fault !== undefined && html`aria-invalid="true"`}`;
}
