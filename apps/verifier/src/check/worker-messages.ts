import type { CheckRequest } from './check-artefact.js';
import type { ArtefactCheck } from './check-result.js';
import type { Comparison } from './compare-members.js';
import type { KeyHistoryCheck } from './key-history-check.js';
import type { KeyList } from './key-list.js';
import type { ListedLogPolicy } from './log-policy.js';
import type { OpeningClaim, OpeningResult } from './open-field.js';
import type { PinRequest, PinResult } from './pin-key-history.js';
import type { ListedTsaRoot } from './tsa-root-list.js';

/** The tasks of a page's worker, by name: request and result. */
export interface WorkerTasks {
  readonly check: { readonly request: CheckRequest; readonly result: ArtefactCheck };
  readonly open: { readonly request: OpeningClaim; readonly result: OpeningResult };
  readonly compare: {
    readonly request: { readonly left: Uint8Array | string; readonly right: Uint8Array | string };
    readonly result: Comparison | null;
  };
  readonly paths: { readonly request: { readonly source: Uint8Array | string }; readonly result: readonly string[] };
  readonly tamper: { readonly request: CheckRequest & { readonly path: string }; readonly result: ArtefactCheck };
  readonly keys: { readonly request: { readonly text: string }; readonly result: KeyList | null };
  readonly history: {
    readonly request: { readonly text: string; readonly at: string };
    readonly result: KeyHistoryCheck;
  };
  readonly pin: { readonly request: PinRequest; readonly result: PinResult };
  readonly roots: { readonly request: { readonly pem: string }; readonly result: readonly ListedTsaRoot[] | null };
  readonly policy: { readonly request: { readonly text: string }; readonly result: ListedLogPolicy | null };
}

export type TaskName = keyof WorkerTasks;
export type TaskRequest<Name extends TaskName> = WorkerTasks[Name]['request'];
export type TaskResult<Name extends TaskName> = WorkerTasks[Name]['result'];

/** One question, identified by its number. */
export type WorkerQuestion = {
  [Name in TaskName]: { readonly id: number; readonly task: Name; readonly request: TaskRequest<Name> };
}[TaskName];

export type WorkerAnswer =
  /** The worker has started. */
  | { readonly state: 'ready' }
  | { readonly id: number; readonly state: 'progress'; readonly done: number; readonly total: number }
  | { readonly id: number; readonly state: 'done'; readonly result: unknown }
  | { readonly id: number; readonly state: 'failed' };
