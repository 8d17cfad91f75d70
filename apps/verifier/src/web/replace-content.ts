/** Elements that take the focus, among them the summaries of sections that open. */
const FOCUSABLE = 'a, button, summary, [tabindex]';

/**
 * Replaces the content of a part of the page, and keeps what the visitor did there: sections that are open, and the
 * focus, on the counterpart of its element, or on the part itself where there is none.
 * @param fill puts the new content into the emptied part
 */
export function replaceContent(part: HTMLElement, fill: () => void): void {
  const opened = [...part.querySelectorAll('details[open] > summary')].map((summary) => counterpart(part, summary));
  const { activeElement } = document;
  const focused = activeElement !== null && part.contains(activeElement) ? counterpart(part, activeElement) : null;
  part.replaceChildren();
  fill();
  for (const find of opened) find()?.closest('details')?.setAttribute('open', '');
  if (focused === null) return;
  part.tabIndex = -1;
  (focused() ?? part).focus({ preventScroll: true });
}

/** @returns finds the element of this name in the content of then, at the same place among those of this name */
function counterpart(part: HTMLElement, element: Element): () => HTMLElement | undefined {
  const name = nameOf(element);
  const alike = (): HTMLElement[] =>
    [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((other) => nameOf(other) === name);
  const index = alike().findIndex((other) => other === element);
  return () => alike()[index];
}

/** Its tag and attributes, and the text of a summary, which has none; the text of a button changes when it has copied. */
function nameOf({ localName, attributes, textContent }: Element): string {
  const named = [...attributes].map(({ name, value }) => `${name}=${value}`);
  return [localName, ...named, ...(localName === 'summary' ? [textContent] : [])].join('\n');
}
