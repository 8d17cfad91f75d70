import { TEXTS } from '../view/texts.js';

/** Copy and print buttons, wherever they appear. */
export function listenForActions(): void {
  document.documentElement.classList.add('has-script');
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button === null) return;
    if (button.dataset['copy'] !== undefined) void copyFrom(button, button.dataset['copy']);
    if (button.dataset['print'] !== undefined) window.print();
  });
}

async function copyFrom(button: HTMLButtonElement, id: string): Promise<void> {
  const source = document.getElementById(id);
  if (source === null) return;
  const isCopied = await copyText(source.textContent);
  const { copy, copied, copyFailed } = TEXTS.site;
  if (!isCopied) getSelection()?.selectAllChildren(source);
  button.textContent = isCopied ? copied : copyFailed;
  setTimeout(() => {
    button.textContent = copy;
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
