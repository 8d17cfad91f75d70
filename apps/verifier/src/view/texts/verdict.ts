import { CERTIFICATE_HEADLINES, LAYER_TEXTS } from '@cer/pages/verdict';
import type { Headline } from '../../check/headline.js';
import { SILENCE_LIMIT_S } from '../../check/silence.js';

/** Sentences of verdicts: who checked, which layers passed, what a record proves. */
export const VERDICT_TEXTS = {
  headlines: {
    ...CERTIFICATE_HEADLINES,
    projectAttested: {
      title: 'Project verified',
      lead: 'Every step and the order of all are as registered, and the node named below signed the steps and the registration.',
    },
    projectIncomplete: {
      title: 'Registration verified, steps incomplete',
      lead: 'The node named below signed the registration, and every step that is here passed. Steps are left out, or have no own signature: see the list of steps.',
    },
    projectIntegrityOnly: {
      title: 'Integrity only, the project signed by no node',
      lead: 'The steps match the project hash. No node has signed the project as a whole.',
    },
    notFound: {
      title: 'Not found',
      lead: 'The node has no public record under this hash. It may never have been registered, or it has been hidden or deleted.',
    },
    unavailable: {
      title: 'No verdict right now',
      lead: 'The node cannot be reached, or the record is too large to be checked here now. Try again in a moment, or use the command line.',
    },
    disagreement: {
      title: 'Server and browser disagree',
      lead: 'Our server and your browser came to different results for this hash. Trust neither; use the offline verifier or the command line.',
    },
    unchecked: {
      title: 'Not checked in your browser',
      lead: 'Your browser could not repeat the check, so this page gives no verdict. Everything below comes from our server alone.',
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
    noNode: 'Your browser could not get the record and the keys from the node. Load this page again to retry.',
    noEngine: 'Your browser could not run the check. Load this page again to retry.',
    pinRefused: 'The root that you pinned does not confirm the node’s published keys: ',
    nothingUploaded: 'Nothing was uploaded.',
    trust:
      'This page comes from the operator’s server, so it asks you to trust that operator. To depend on no operator, use ',
    trustOffline: 'the offline verifier',
    trustAfter: ' (one file, works without a network) or ',
    trustCli: 'the command line',
  },
  node: {
    silent: (parts: readonly string[]) =>
      `For ${SILENCE_LIMIT_S} seconds the node sent your browser nothing of ${parts.join(' and ')}. Load this page again to retry.`,
    parts: { record: 'the record', keySet: 'the key set', keyHistory: 'the key history' },
  },
  layers: LAYER_TEXTS,
  scope: {
    title: 'What this proves, and what it does not',
    proves: 'It proves',
    provesNot: 'It does not prove',
    integrity: 'that the content covered by the hash is unchanged',
    attested: 'that the node named above signed a receipt for exactly this hash',
    envelope: 'that content and attestation belong together',
    confidential: 'that the sealed input and output are the ones committed to, once they are opened',
    project: 'that these steps, in this order, are the ones that were registered',
    nothing: 'nothing, as long as a check fails',
    notCorrect: 'that an output was correct, fair, lawful or complete',
    externalTime: 'that the receipt existed at the external time above, as the authority that you chose says',
    logged: 'that the log named above held the receipt when its witnesses signed, under the policy that was used',
    notTime: 'that it existed at the stated time in the eyes of a third party: the time is the node’s own',
    notReplay: 'that the model would answer the same again',
    notWitness: 'that a transparency log holds it: a log proof and its witnesses show that, see the page Log',
    notAuthor: 'who made it: no signature of a node was confirmed',
  },
} as const;
