// Forms with `data-passkey` ask the browser for a passkey before they are sent; the answer goes into their field
// `credential`. The page has the options as JSON in `data-options`.
(() => {
  const bytesOf = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  const textOf = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  const withBytes = (credentials = []) =>
    credentials.map((credential) => ({ ...credential, id: bytesOf(credential.id) }));

  const create = async (options) => {
    const { id, response } = await navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytesOf(options.challenge),
        user: { ...options.user, id: bytesOf(options.user.id) },
        excludeCredentials: withBytes(options.excludeCredentials),
      },
    });
    return {
      id,
      response: {
        clientDataJSON: textOf(response.clientDataJSON),
        attestationObject: textOf(response.attestationObject),
        transports: response.getTransports(),
      },
    };
  };

  const get = async (options) => {
    const { id, response } = await navigator.credentials.get({
      publicKey: { ...options, challenge: bytesOf(options.challenge) },
    });
    return {
      id,
      response: {
        clientDataJSON: textOf(response.clientDataJSON),
        authenticatorData: textOf(response.authenticatorData),
        signature: textOf(response.signature),
        userHandle: textOf(response.userHandle ?? new ArrayBuffer(0)),
      },
    };
  };

  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const failure = form.querySelector('[data-failure]');
      const button = form.querySelector('button');
      failure.textContent = '';
      button.disabled = true;
      try {
        if (!('PublicKeyCredential' in window)) throw new Error('not supported');
        const ask = form.dataset.passkey === 'create' ? create : get;
        form.elements.credential.value = JSON.stringify(await ask(JSON.parse(form.dataset.options)));
        // The button stays disabled: what was asked for is accepted once.
        form.submit();
      } catch (error) {
        const known = { InvalidStateError: failure.dataset.known, NotAllowedError: failure.dataset.cancelled };
        failure.textContent = known[error.name] ?? failure.dataset.failure;
        button.disabled = false;
      }
    });
    // A page that the browser kept is shown again by its button Back.
    window.addEventListener('pageshow', () => {
      form.querySelector('button').disabled = false;
    });
  }
})();
