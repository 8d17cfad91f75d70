import type { Headline } from '../../check/headline.js';

/** Sentences of verdicts: who checked, which layers passed, what a record proves. */
export const VERDICT_TEXTS = {
  headlines: {
    attested: {
      title: 'Verified',
      lead: 'The record is unchanged, and the node named below signed it.',
    },
    confidential: {
      title: 'Verified, contents confidential',
      lead: 'The record is unchanged and signed. Input and output are bound by commitments; their text is not part of the certificate.',
    },
    hashOnly: {
      title: 'Verified: a hash, not its content',
      lead: 'The node named below signed this hash. What it stands for is not part of the record, and the node has not seen it.',
    },
    legacy: {
      title: 'Verified under older rules',
      lead: 'The record is of an older form with weaker coverage. What those rules cover is unchanged and signed.',
    },
    integrityOnly: {
      title: 'Integrity only, nobody vouches for it',
      lead: 'The content matches its own hash. No node has signed it: whoever made the file could have made it with any content.',
    },
    projectAttested: {
      title: 'Project verified',
      lead: 'Every step and the order of all are as registered, and the node named below signed the steps and the registration.',
    },
    projectIncomplete: {
      title: 'Registration verified, steps incomplete',
      lead: 'The node named below signed the registration, and every step that is here passed. Steps are left out, or have no signature of their own: see the list of steps.',
    },
    projectIntegrityOnly: {
      title: 'Integrity only, nobody vouches for this project',
      lead: 'The steps match the project hash. No node has signed the project as a whole.',
    },
    unverifiable: {
      title: 'Could not be verified',
      lead: 'What is needed to check the signature is not at hand. That says nothing for or against the record.',
    },
    failed: {
      title: 'Verification failed',
      lead: 'At least one check did not pass. Do not rely on this record before the reason is known.',
    },
    notFound: {
      title: 'Not found',
      lead: 'The node has no public record under this hash. It may never have been registered, or it has been hidden or deleted.',
    },
    unavailable: {
      title: 'The node cannot be reached',
      lead: 'No verdict is possible right now. Try again in a moment.',
    },
    disagreement: {
      title: 'Server and browser disagree',
      lead: 'Our server and your browser came to different results for this hash. Trust neither; use the offline verifier or the command line.',
    },
    unchecked: {
      title: 'Not checked in your browser',
      lead: 'Your browser could not repeat the check, so this page gives no verdict. What stands below is our server’s word alone.',
    },
  } satisfies Readonly<Record<Headline, { title: string; lead: string }>>,
  checking: {
    title: 'Checking in your browser',
    lead: 'Our server has checked this record. Your browser is now checking it again.',
  },
  checkedBy: {
    title: 'Who checked this',
    server: 'Checked by our server',
    browser: 'Checked in your browser',
    file: 'Checked on this device',
    serverSaid: 'Our server found: ',
    browserSaid: 'Your browser found: ',
    pending: 'Your browser is checking…',
    noNode: 'Your browser could not get the record and the key set from the node.',
    noEngine: 'Your browser could not run the check.',
    pinRefused: 'The root that you pinned does not vouch for what the node publishes of its keys: ',
    nothingUploaded: 'Nothing was uploaded.',
    trust:
      'This page comes from the operator’s server, so it asks you to trust that operator. To depend on nobody, use ',
    trustOffline: 'the offline verifier',
    trustAfter: ' (one file, works without a network) or ',
    trustCli: 'the command line',
  },
  layers: {
    title: 'Three checks',
    integrity: {
      name: 'Integrity',
      PASS: 'The hash was computed again from the content and is the same. Nothing that the hash covers was changed.',
      FAIL: 'The content does not give this hash, or has no valid form.',
      SKIPPED: 'Integrity is never skipped.',
    },
    receipt: {
      name: 'Node receipt',
      PASS: 'The node’s Ed25519 signature is valid, the receipt names this very hash and node, and the key was in force.',
      FAIL: 'The receipt does not vouch for this record.',
      SKIPPED: 'The record carries no attestation. Nobody vouches for it.',
    },
    envelope: {
      name: 'Verification envelope',
      PASS: 'A second signature binds the content to the attestation’s id, time, key, runtime and protocol.',
      FAIL: 'An envelope is there, but its signature or its members do not fit.',
      SKIPPED: 'There is nothing to check here.',
    },
    reasons: {
      'no-keys': 'A signature is there, and no key that counts to check it with. That says nothing for or against it.',
      'no-attestation': 'The record carries no attestation. Nobody vouches for it.',
      'no-envelope':
        'The record carries no envelope. Public records carry none, because values may be withheld from them.',
      redacted: 'Values were withheld from this public record, so the signed envelope cannot be rebuilt.',
      rescued:
        'The node’s Ed25519 signature is valid, and the receipt names this very hash and node. The key was revoked since; a timestamp shows that the receipt is older.',
    } as Readonly<Record<string, string>>,
    status: { PASS: 'Pass', FAIL: 'Fail', SKIPPED: 'Skipped' },
  },
  scope: {
    title: 'What this proves, and what it does not',
    proves: 'It proves',
    provesNot: 'It does not prove',
    integrity: 'that the content covered by the hash is unchanged',
    attested: 'that the node named above signed a receipt for exactly this hash',
    envelope: 'that content and attestation belong together',
    confidential: 'that the sealed input and output are the ones committed to, once somebody opens them',
    project: 'that these steps, in this order, are the ones that were registered',
    nothing: 'nothing, as long as a check fails',
    notCorrect: 'that an output was correct, fair, lawful or complete',
    externalTime: 'that the receipt existed at the external time above, as the authority that you chose says',
    logged: 'that the log named above held the receipt when its witnesses signed, under the policy that was used',
    notTime: 'that it existed at the stated time in the eyes of a third party: the time is the node’s own',
    notReplay: 'that the model would answer the same again',
    notWitness: 'that a transparency log holds it: a log proof and its witnesses show that, see the page Log',
    notAuthor: 'who made it: nobody has signed it',
  },
} as const;
