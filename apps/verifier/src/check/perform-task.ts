import { checkArtefact, type OnProgress } from './check-artefact.js';
import { compareBundles } from './compare-members.js';
import { listKeys } from './key-list.js';
import { checkOpening } from './open-field.js';
import { readArtefact } from './read-artefact.js';
import { tamperablePaths, tamperedCopy } from './tamper.js';
import type { TaskName, TaskResult, WorkerQuestion } from './worker-messages.js';

/** Does what a page asks; the whole of what runs in a worker. */
export async function performTask(question: WorkerQuestion, onProgress: OnProgress): Promise<TaskResult<TaskName>> {
  switch (question.task) {
    case 'check':
      return checkArtefact(question.request, onProgress);
    case 'tamper': {
      const { path, ...request } = question.request;
      return checkArtefact({ ...request, source: tamperedCopy(request.source, path) }, onProgress);
    }
    case 'open':
      return checkOpening(question.request);
    case 'compare': {
      const left = readArtefact(question.request.left);
      const right = readArtefact(question.request.right);
      return left.kind === 'certificate' && right.kind === 'certificate'
        ? compareBundles(left.value, right.value)
        : null;
    }
    case 'paths':
      return tamperablePaths(question.request.source);
    case 'keys':
      return keysIn(question.request.text);
  }
}

function keysIn(text: string): TaskResult<'keys'> {
  try {
    return listKeys(text);
  } catch {
    // Any text may be handed over as a key set.
    return null;
  }
}
