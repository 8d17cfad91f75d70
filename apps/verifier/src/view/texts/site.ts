/** Sentences of every page of the site. */
export const SITE_TEXTS = {
  site: {
    name: 'Certificate verifier',
    tagline: 'Check a certified execution record yourself.',
    skip: 'Skip to content',
    navigation: 'Main',
    home: 'Verify',
    how: 'How it works',
    keys: 'Keys',
    log: 'Log',
    offline: 'Offline verifier',
    footer:
      'Verification shows that a record is unchanged and who attested it. It does not show that an output was correct, fair, lawful or complete.',
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'Select and copy the text by hand',
    print: 'Print report',
    noScript: 'Without JavaScript this page shows the result of our server. Your browser has not checked anything.',
  },
  lookup: {
    title: 'Verify a record',
    lead: 'Look one up by its hash, address or execution id, or check a file. Files never leave your device.',
    label: 'Hash, address or execution id',
    placeholder: 'sha256:…',
    submit: 'Look up',
    badQuery: 'That is not a certificate or project hash.',
    badHash: 'A hash is “sha256:” followed by 64 lower-case hexadecimal digits.',
  },
  malformed: 'This address cannot be read',
  missing: { title: 'No such page', lead: 'There is nothing at this address.' },
  limited: {
    title: 'Too many requests',
    lead: 'This site limits the requests per minute from one address, so that it stays fast for all visitors.',
    wait: 'Load the page again in ',
    seconds: ' seconds.',
    offline: 'A certificate that you have as a file can be checked without this site at all: ',
  },
  how: {
    title: 'How verification works',
    paragraphs: [
      {
        title: 'A certificate is its hash',
        text: 'A certified execution record (CER) describes one run: a call of an AI model, or a render of creative code. Its identity is the SHA-256 of a canonical text made from the members in hash scope. Change one letter of them, and the hash is another.',
      },
      {
        title: 'Input and output stay out',
        text: 'A certificate holds hashes of input and output, or, in confidential records, commitments that only someone with the salt can open. This site never shows raw values.',
      },
      {
        title: 'A node may vouch for it',
        text: 'An attestation node signs a receipt over the hash with Ed25519, and an envelope over the content. Without a receipt a record has integrity only: it matches its own hash, and no node has signed it.',
      },
      {
        title: 'Your browser checks again',
        text: 'A page for a certificate is checked by our server first. Then your browser fetches the record and the keys from the node itself and repeats every check with the same code that the command line uses. If the two differ, or your browser cannot check, the page is never green.',
      },
      {
        title: 'You need not trust this page',
        text: 'A page from an operator’s server trusts that operator. The offline verifier is one file that makes no request. Its SHA-256 is published with each release, and anyone can build the same bytes from source. The command line needs no page at all.',
      },
      {
        title: 'Failures are explained',
        text: 'A failed check names the exact member, what was expected and what was computed. Unknown protocols, types and keys fail: nothing is guessed.',
      },
    ],
    layers: 'The three checks',
    cli: 'On the command line',
    cliNote:
      'cer comes with the source of this service: run npm install and npm run build there, then npx cer. With a saved record and a saved key set it opens no connection.',
  },
  offline: {
    title: 'Offline verifier',
    lead: 'This file checks certificates with the network cut. It makes no request of any kind.',
    saved: 'It carries a saved record and the keys it was saved with.',
    savedCheck: 'Check the saved record',
    noScript: 'The offline verifier needs JavaScript.',
    build: 'Compare the SHA-256 of the file as released with the one in the release notes before you rely on it.',
  },
} as const;
