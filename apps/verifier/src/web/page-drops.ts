/** A browser opens what is dropped beside a field in place of the page, which would be lost with its results. */
export function refuseDrops(): void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || isForField(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
  };
  // At the window, so that drop zones decide first.
  window.addEventListener('dragover', refuse);
  window.addEventListener('drop', refuse);
}

/** Whether the browser itself puts it into a field: files into one for files, anything else into one for text. */
export function isForField(event: DragEvent): boolean {
  const fields = hasFiles(event) ? 'input[type="file"]' : 'textarea, input:is([type="text"], [type="search"])';
  return placeOf(event)?.matches(fields) === true;
}

export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

/** The element below the pointer: the target may be the text in it. */
export function placeOf(event: DragEvent): Element | undefined {
  return event.composedPath().find((node) => node instanceof Element);
}
