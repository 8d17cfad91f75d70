// Behaviour of the pages: sign out, copy, and show arriving records live.
(() => {
  const signOut = document.querySelector('[data-act="sign-out"]');
  signOut?.addEventListener('click', async () => {
    signOut.disabled = true;
    try {
      await fetch('/api/v1/auth/logout', { method: 'POST' });
    } finally {
      window.location.replace('/');
    }
  });

  for (const button of document.querySelectorAll('[data-copy]')) {
    // A change of the button's own text is not announced: its name is its label.
    const result = button.nextElementSibling;
    button.addEventListener('click', async () => {
      const text = document.getElementById(button.dataset.copy)?.textContent ?? '';
      try {
        await navigator.clipboard.writeText(text);
        result.textContent = 'Copied';
      } catch {
        result.textContent = 'Select the text and copy it';
      }
      setTimeout(() => (result.textContent = ''), 2000);
    });
  }

  const live = document.getElementById('live');
  if (live === null) return;
  const state = document.getElementById('live-state');
  const say = (text) => {
    if (state !== null && state.textContent !== text) state.textContent = text;
  };
  const RETRY_MS = 5000;

  // What arrives while a link of the region has the focus is shown when the focus leaves.
  let waiting = null;
  live.addEventListener('focusout', (event) => {
    if (waiting === null || live.contains(event.relatedTarget)) return;
    live.innerHTML = waiting;
    waiting = null;
  });

  // An EventSource does not report that it was refused because the session has ended.
  const followAgain = async () => {
    const session = await fetch('/api/v1/auth/session').catch(() => null);
    if (session?.status === 401) window.location.replace('/');
    else follow();
  };

  const follow = () => {
    const events = new EventSource('/events');
    events.addEventListener('open', () => say('Updates arrive by themselves.'));
    const load = () => {
      events.close();
      window.location.replace('/');
    };
    // The markup is made and escaped by the server, as in the page itself.
    events.addEventListener('message', (event) => {
      const { viewer, html } = JSON.parse(event.data);
      // After an interruption the browser may have the session of another account.
      if (viewer !== live.dataset.viewer) return load();
      const isLeft = !live.contains(document.activeElement);
      waiting = isLeft ? null : html;
      if (isLeft) live.innerHTML = html;
    });
    events.addEventListener('ended', load);
    events.addEventListener('error', () => {
      say('The connection is interrupted; trying again.');
      if (events.readyState === EventSource.CLOSED) setTimeout(followAgain, RETRY_MS);
    });
  };
  follow();
})();
