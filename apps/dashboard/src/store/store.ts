import type {
  AccountAct,
  ActName,
  Actor,
  ApiKeyStore,
  LinkStore,
  ReaderKeyStore,
  SessionStore,
  ShareStore,
  TenantStore,
  UsageStore,
  UserStore,
} from './ports/index.js';
import type { AuthenticatorStore, PasskeyStore, SignInStore, UsedChallenge } from './ports/sign-in.js';

/** Everything that the control plane keeps. */
export interface Store {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  readonly links: LinkStore;
  readonly sessions: SessionStore;
  readonly authenticators: AuthenticatorStore;
  readonly passkeys: PasskeyStore;
  readonly signInWays: SignInStore;
  readonly apiKeys: ApiKeyStore;
  readonly usage: UsageStore;
  readonly readerKeys: ReaderKeyStore;
  readonly shares: ShareStore;
  /** For acts that change nothing in the store itself. */
  note(tenantId: string, act: ActName, subject: string, actor: Actor): Promise<void>;
  /** As `note`, but once for each form, however often it is sent. */
  noteOnce(form: UsedChallenge, tenantId: string, act: ActName, subject: string, actor: Actor): Promise<void>;
  /** For a form that changes nothing in the store itself. @throws StoreError STORE_ROW_REFUSED when it was sent before */
  useForm(form: UsedChallenge | undefined): Promise<void>;
  /** Newest first. */
  acts(tenantId: string, limit: number): Promise<readonly AccountAct[]>;
  /** Acts after `seq`, oldest first, up to the first one of the last ten seconds. @param tenantId null: of every account */
  actsAfter(tenantId: string | null, seq: number, limit: number): Promise<readonly AccountAct[]>;
  readonly schemaVersion: number;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Resolves when the last write succeeded; after a failed one a row is written to find out. */
  proveWritable(): Promise<void>;
  /** Removes expired rows: sessions, links, old counts and reports, login attempts. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}
