/** Notices after an act. The address carries the name only, so a crafted link cannot put text into a page. */
export const NOTICES = {
  'signed-out': 'You are signed out.',
  'key-revoked': 'The API key is revoked. Services stop taking it within 2 seconds.',
  'share-revoked': 'The link is revoked. It shows nothing from now on.',
  'user-disabled': 'The user is disabled and signed out everywhere.',
  'user-enabled': 'The user can sign in again.',
  'settings-saved': 'The settings are saved. They hold for new records within 2 seconds.',
  'password-set': 'Your password is set.',
} as const;

export function noticeText(query: URLSearchParams): string | undefined {
  return new Map<string, string>(Object.entries(NOTICES)).get(query.get('done') ?? '');
}
