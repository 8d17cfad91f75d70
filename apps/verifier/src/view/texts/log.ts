/** Sentences of the transparency log and its proofs. */
export const LOG_TEXTS = {
  log: {
    title: 'Transparency log',
    lead: 'Every receipt this node signs is an entry of a log that only grows. Witnesses sign how it grows, so no entry can be dropped, changed or back-dated unnoticed.',
    unavailable: 'The node cannot be reached, or does not answer with a checkpoint of its log.',
    none: 'This node keeps no transparency log, or has not published a checkpoint yet.',
    checkpointTitle: 'Newest checkpoint',
    noPolicy:
      'This site pins no witnesses, so the names below are not checked. The command line cer checks them under your own policy.',
    trusted:
      'Signed by the log and by enough witnesses of this site’s policy. Who runs them is for you to find out: a witness of the operator proves nothing against the operator.',
    untrusted: 'Not signed by log and witnesses as this site’s policy asks. Do not rely on this checkpoint.',
    origin: 'Log',
    size: 'Size',
    entries: (size: number) => (size === 1 ? '1 receipt' : `${size.toLocaleString('en')} receipts`),
    age: 'Age',
    ago: (seconds: number) => {
      const [count, unit] =
        seconds < 120
          ? [seconds, 'seconds']
          : seconds < 7200
            ? [seconds / 60, 'minutes']
            : seconds < 172_800
              ? [seconds / 3600, 'hours']
              : [seconds / 86_400, 'days'];
      return `${Math.floor(count).toLocaleString('en')} ${unit} since the last witness signed`;
    },
    root: 'Root',
    witness: 'Witness',
    at: (time: string) => `signed at ${time} by its own clock`,
    otherLine: 'Also names itself',
    notChecked: 'not checked',
    proofTitle: 'Proof of one receipt',
    hashLabel: 'Hash of a public certificate',
    show: 'Show the proof',
    noProof:
      'There is no proof of this hash: it is not a public certificate of this node, or not logged and witnessed yet.',
    place: (index: number, size: number) =>
      `The receipt is entry ${(index + 1).toLocaleString('en')} of ${size.toLocaleString('en')} (index ${index}) of a log. From its hash to the root, each step hashes it with one neighbour:`,
    pathOnly: 'The path leads to the root. Who signed the root is not checked here: this site pins no policy.',
    proofFault: 'The proof is not accepted: it',
    remark: 'Remark: the receipt',
    // People count from 1, proofs from 0.
    entry: (index: number, size: number) =>
      `Entry ${(index + 1).toLocaleString('en')} of ${size.toLocaleString('en')} (index ${index})`,
    ofLog: 'in the log',
    notJudged: 'Not checked: no policy names the logs and witnesses that count.',
    absent: 'The record carries no proof that a log of the policy holds its receipt.',
    policy: {
      title: 'Log and witnesses',
      lead: 'A record may carry a proof that a transparency log holds its receipt. It counts only under a policy (tlog-policy) that you choose: which log, which witnesses, and how many of them.',
      none: 'No policy is chosen, so no log proof is checked.',
      chosen: 'Log proofs are checked under this policy:',
      bad: 'That file is not a policy.',
      load: 'Choose a policy file',
      clear: 'Choose none',
      log: 'Log',
      witness: 'Witness',
    },
    included: (names: readonly string[], after: string | null, by: string | null) =>
      `Witnessed by ${names.length === 0 ? 'no witness, since the policy asks for none' : names.join(', ')}.` +
      (after === null ? '' : ` Not in the log at ${after}.`) +
      (by === null ? '' : ` In the log at ${by}.`),
    leaf: 'The receipt, as the log holds it',
    step: (step: number) => `Step ${step}`,
    rootStep: (step: number) => `Step ${step}: the root`,
    left: 'Neighbour on the left:',
    right: 'Neighbour on the right:',
    together: 'Hash of both:',
    end: 'The last hash is the root in the checkpoint of the proof. A change of the receipt would change every hash of this path.',
    limitsTitle: 'These proofs do not show',
    limits: [
      'That every execution was certified: executions that never reached the node are in no log.',
      'That the content of a certificate is true: the log holds receipts of any content.',
      'That witnesses are independent: their names are given by a policy, and independence is yours to judge.',
      'That you see the same log as others, if you only look here: run cer log monitor on a computer of your own.',
    ],
  },
} as const;
