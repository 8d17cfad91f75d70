/** Markup that is safe to send: only `html` makes it, and it escapes every value. */
export class Html {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** The only constructor; call `html` instead. */
  static of(literals: readonly string[], values: readonly HtmlValue[]): Html {
    return new Html(literals.map((literal, index) => literal + markupOf(values[index])).join(''));
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** Markup from a template: values are escaped, markup made by `html` is not, null, undefined and `false` are left out. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.of(literals, values);
}

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
