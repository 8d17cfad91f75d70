/**
 * A script that drags over an element and drops there. Its value: which of both events the page keeps from the browser,
 * which would open a file or link in place of the page, and how many files the page then reads.
 * @param added statements that put something into `transfer`
 */
export function dropOn(selector: string, added: string): string {
  return `{
    const transfer = new DataTransfer();
    ${added}
    const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
    const read = Blob.prototype.arrayBuffer;
    let reads = 0;
    Blob.prototype.arrayBuffer = function () {
      reads += 1;
      return read.call(this);
    };
    const prevented = ['dragover', 'drop'].map((type) =>
      document.querySelector('${selector}').dispatchEvent(new DragEvent(type, options)) === false);
    Blob.prototype.arrayBuffer = read;
    ({ prevented, reads });
  }`;
}
