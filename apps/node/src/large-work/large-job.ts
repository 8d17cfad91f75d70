import type { Attestor } from '@cer/cer-core/attest';
import type { NodeKeySet, Signer } from '@cer/keys';
import type { NewLeaf, NewRecord, ProjectRegistration, RecordOutcome, Store } from '../store/index.js';
import type { Caller } from '../auth/key-directory.js';
import type { FoundProof, LogProofs } from '../log/log-proofs.js';
import type { RelayedError } from './relayed-errors.js';

/** The routes about sketches, whose large bodies are parsed and checked in threads. */
export type LargeSketchKind = 'image' | 'render';

/** The routes with a key whose large bodies are worked on in threads. */
export type LargeJobKind = 'certify' | 'create' | 'attest' | 'register' | LargeSketchKind;

/** The same without a key. */
export type LargeVerifyKind = 'verify' | 'verify-project';

interface JobFacts {
  /** The body of the request. The thread takes it over. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly requestId: string;
  /** The node's clock when the job began, in milliseconds since 1970. */
  readonly nowMs: number;
}

export interface KeyedJob extends JobFacts {
  readonly kind: LargeJobKind;
  readonly caller: Caller;
}

export interface VerifyJob extends JobFacts {
  readonly kind: LargeVerifyKind;
}

export type LargeJob = KeyedJob | VerifyJob;

/** A successful answer: JSON in UTF-8. */
export interface LargeAnswer {
  readonly json: Uint8Array<ArrayBuffer>;
  /** Null: an answer that names no certificate in its headers. */
  readonly certificateHash: string | null;
  readonly isReplay: boolean;
}

/** An attestor without its signature. */
export type AttestorFacts = Pick<Attestor, 'nodeId' | 'nodeRuntimeHash'> & Pick<Signer, 'kid' | 'publicKey'>;

/** The calls of a thread to the main thread, which has signer and store. */
export type ThreadCall =
  | { readonly ask: 'attestor' }
  | { readonly ask: 'keys' }
  | { readonly ask: 'sign'; readonly message: Uint8Array }
  | { readonly ask: 'record'; readonly record: NewRecord }
  | { readonly ask: 'proof'; readonly of: Parameters<LogProofs['find']> }
  | { readonly ask: 'full records'; readonly of: Parameters<Store['records']['visibilityOfFullRecords']> }
  | { readonly ask: 'own project'; readonly of: Parameters<Store['projects']['findOwnByHash']> }
  | { readonly ask: 'register'; readonly registration: ProjectRegistration; readonly leaf: NewLeaf | undefined };

export type CallResult<Ask extends ThreadCall['ask']> = {
  readonly attestor: AttestorFacts;
  readonly keys: NodeKeySet;
  readonly sign: Uint8Array;
  readonly record: RecordOutcome;
  readonly proof: FoundProof;
  readonly 'full records': Awaited<ReturnType<Store['records']['visibilityOfFullRecords']>>;
  readonly 'own project': ProjectRegistration | null;
  readonly register: Awaited<ReturnType<Store['projects']['registerOnce']>>;
}[Ask];

/** To the main thread. */
export type FromThread =
  | { readonly call: number; readonly asked: ThreadCall }
  | { readonly answer: LargeAnswer }
  | { readonly thrown: RelayedError };

/** To the thread. */
export type ToThread =
  | { readonly job: LargeJob }
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly thrown: RelayedError };

/** The data that a thread gets at its start. */
export interface ThreadSettings {
  readonly verifyUrl: string;
  readonly verifyLimitBytes: number;
  /** Whether the node has a transparency log. */
  readonly hasLog: boolean;
  /** Pinned roots of time-stamping authorities; null: tokens are ignored. */
  readonly tsaRootsPem: string | null;
  readonly secrets: { readonly activeId: string; readonly byId: ReadonlyMap<string, Uint8Array> };
}
