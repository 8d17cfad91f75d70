import { TEXTS } from '../view/texts.js';

/** Copy and print buttons, wherever they appear. */
export function listenForActions(): void {
  document.documentElement.classList.add('has-script');
  const status = document.createElement('p');
  status.id = 'announced';
  status.role = 'status';
  document.body.append(status);
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button === null) return;
    if (button.dataset['copy'] !== undefined) void copyFrom(button, button.dataset['copy'], status);
    if (button.dataset['print'] !== undefined) window.print();
  });
}

/** @param status says what the copy came to: of the button, whose name is its label, a change is not announced */
async function copyFrom(button: HTMLButtonElement, id: string, status: HTMLElement): Promise<void> {
  const source = document.getElementById(id);
  if (source === null) return;
  const isCopied = await copyText(source.textContent);
  const { copy, copied, copyFailed } = TEXTS.site;
  if (!isCopied) getSelection()?.selectAllChildren(source);
  const said = isCopied ? copied : copyFailed;
  button.textContent = said;
  status.textContent = said;
  setTimeout(() => {
    button.textContent = copy;
    status.textContent = '';
  }, 2000);
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not every page and browser grants it.
    return false;
  }
}
