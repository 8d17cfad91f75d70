/** Actor as the audit trail shows it: an e-mail address, or `command line`. */
export type Actor = string;

export interface AccountAct {
  /** Its place among the acts of all accounts; later acts have larger ones. */
  readonly seq: number;
  readonly tenantId: string;
  readonly at: string;
  readonly actor: Actor;
  readonly act: ActName;
  readonly subject: string;
}

export type ActName =
  | 'tenant created'
  | 'account suspended'
  | 'account resumed'
  | 'plan assigned'
  | 'settings changed'
  | 'user added'
  | 'user disabled'
  | 'user enabled'
  | 'link issued'
  | 'password set'
  | 'role changed'
  | 'provider linked'
  | 'signed in'
  | 'signed out'
  | 'code refused'
  | 'authenticator added'
  | 'authenticator removed'
  | 'recovery codes made'
  | 'recovery code used'
  | 'passkey added'
  | 'passkey removed'
  | 'sign-in reset'
  | 'API key created'
  | 'API key rotated'
  | 'API key revoked'
  | 'bridge connected'
  | 'records exported'
  | 'review certified'
  | 'link shared'
  | 'shared link revoked'
  | 'webhook added'
  | 'webhook secret rotated'
  | 'webhook removed'
  | 'webhook tested'
  | 'message sent again';
