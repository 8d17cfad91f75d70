import { checkArtefact, type OnProgress } from './check-artefact.js';
import { compareBundles } from './compare-members.js';
import { checkKeyHistory } from './key-history-check.js';
import { listKeys } from './key-list.js';
import { listLogPolicy } from './log-policy.js';
import { checkOpening } from './open-field.js';
import { pinKeyHistory } from './pin-key-history.js';
import { readArtefact } from './read-artefact.js';
import { tamperablePaths, tamperedCopy } from './tamper.js';
import type { LoadTimestampCode } from './timestamp-code.js';
import { listTsaRoots } from './tsa-root-list.js';
import type { TaskName, TaskResult, WorkerQuestion } from './worker-messages.js';

/** Performs one task of a page; everything that runs in the worker. */
export async function performTask(
  question: WorkerQuestion,
  loadTimestampCode: LoadTimestampCode,
  onProgress: OnProgress,
): Promise<TaskResult<TaskName>> {
  switch (question.task) {
    case 'check':
      return checkArtefact(question.request, loadTimestampCode, onProgress);
    case 'tamper': {
      const { path, ...request } = question.request;
      const source = tamperedCopy(request.source, path);
      return checkArtefact({ ...request, source }, loadTimestampCode, onProgress);
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
    case 'history':
      return checkKeyHistory(question.request.text, question.request.at);
    case 'pin':
      return pinKeyHistory(question.request);
    case 'roots':
      return listTsaRoots(question.request.pem, loadTimestampCode);
    case 'policy':
      return listLogPolicy(question.request.text);
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
