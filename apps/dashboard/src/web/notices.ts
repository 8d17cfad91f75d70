/** Notices after an act. The address carries the name only, so a crafted link cannot put text into a page. */
export const NOTICES = {
  'signed-out': 'You are signed out.',
  'session-ended': 'Your session has ended, and the form was not sent. Sign in and fill it in again.',
  'key-revoked': 'The API key is revoked. Services stop taking it within 2 seconds.',
  'share-revoked': 'The link is revoked. It shows nothing from now on.',
  'user-disabled': 'The user is disabled and signed out everywhere.',
  'user-enabled': 'The user can sign in again.',
  'webhook-removed': 'The webhook is removed. Nothing is sent to it any more.',
  'webhook-tested': 'A test message is on its way. It appears below with its result in a few seconds.',
  'message-sent-again': 'The message is sent again in a few seconds.',
  'settings-saved': 'The settings are saved. They hold for new records within 2 seconds.',
  'retention-saved':
    'The settings are saved. The days and the legal hold reach the node when the node is next asked under one of the API keys of the account, or for a page of its certificates; its next deletions follow them. The others hold for new records within 2 seconds.',
  'password-set': 'Your password is set.',
  'authenticator-removed': 'The authenticator app is removed. Signing in asks for your password only.',
  'passkey-added': 'The passkey is added.',
  'passkey-removed': 'The passkey is removed. Every other session of yours has ended.',
  'sign-in-reset': 'The user signs in with the password only, and is signed out everywhere.',
} as const;

export function noticeText(query: URLSearchParams): string | undefined {
  return new Map<string, string>(Object.entries(NOTICES)).get(query.get('done') ?? '');
}
