/** Sentences of timestamps and time authorities. */
export const TIME_TEXTS = {
  time: {
    title: 'Time authorities',
    lead: 'A record may carry a timestamp (RFC 3161). It counts only under an authority that you choose.',
    none: 'No authority is chosen, so no timestamp counts.',
    chosen: 'Timestamps under these certificates count:',
    bad: 'That file is not a list of PEM certificates.',
    load: 'Choose a PEM file',
    clear: 'Choose none',
    until: 'valid until',
    noTimestamp: 'None: the time is the node’s own',
    stampedBy: 'timestamped by',
    status: {
      verified: 'RFC 3161 token, verified under an authority that you chose.',
      untrusted: 'RFC 3161 token, sound, but under no authority that you chose.',
      invalid: 'RFC 3161 token, invalid:',
      'not-checked':
        'RFC 3161 token, not checked: the code that reads it could not be loaded from this site. Load this page again to retry.',
    },
    covers: {
      receipt: 'It covers the signed receipt.',
      content: 'It covers the content only, not the signing.',
    },
    rescue: {
      compromisedSince: 'The key was revoked since, but this timestamp is older than its compromise at',
      revokedAt: 'The key was revoked since, but this timestamp is older than its revocation at',
    },
    tool: 'Check the external time',
    toolLead:
      'Choose the certificates of the time authorities that you believe. The record is then checked once more on this device.',
  },
} as const;
