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

/**
 * A script that stops the clock for long timers of a page: each member of `timers`, by the number of its timer, ends the
 * wait for it.
 */
export const HOLD_TIMERS = `
  const timers = new Map();
  const [start, stop] = [setTimeout, clearTimeout];
  window.setTimeout = (act, ms, ...rest) => {
    const isLong = ms >= 10_000;
    const id = start(isLong ? () => undefined : act, ms, ...rest);
    if (isLong) timers.set(id, act);
    return id;
  };
  window.clearTimeout = (id) => {
    timers.delete(id);
    stop(id);
  };
`;

/** Ends the wait for all timers that are held. */
export const END_TIMERS = '[...timers.values()].forEach((act) => { act(); })';
