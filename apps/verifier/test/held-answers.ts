/**
 * A script that runs before those of a page, and holds the answers of its worker to one task in `held`, as a slow device
 * does: each member hands one of them to the page.
 */
export function holdAnswersTo(task: string): string {
  return `
    const held = [];
    const ofTask = new Set();
    window.Worker = class extends Worker {
      postMessage(question, ...rest) {
        if (question.task === '${task}') ofTask.add(question.id);
        super.postMessage(question, ...rest);
      }
      addEventListener(type, listen) {
        super.addEventListener(type, (event) => {
          if (type === 'message' && ofTask.has(event.data.id)) held.push(() => listen(event));
          else listen(event);
        });
      }
    };
  `;
}

/** A script that holds the bytes of files in `held`, as a slow disk does: each member hands over those of one file. */
export const HOLD_READS = `
  const held = [];
  const read = Blob.prototype.arrayBuffer;
  Blob.prototype.arrayBuffer = function () {
    return new Promise((resolve) => { held.push(resolve); }).then(() => read.call(this));
  };
`;
