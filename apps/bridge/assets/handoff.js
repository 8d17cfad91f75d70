// Loaded first, without `defer`: the fragment is gone from address and history before anything else runs.
(() => {
  const PREFIX = '#handoff=';
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith(PREFIX)) return;
  const token = hash.slice(PREFIX.length);
  window.history.replaceState(null, '', pathname + search);

  /** Shows one of the prepared messages and hides the others and the page behind them. */
  const show = (name) => {
    for (const section of document.querySelectorAll('[data-handoff]'))
      section.hidden = section.dataset.handoff !== name;
    const rest = document.querySelector('[data-page]');
    if (rest !== null) rest.hidden = true;
    const shown = document.querySelector(`[data-handoff="${name}"]`);
    shown?.focus();
  };

  const connect = async (replace) => {
    show('connecting');
    let status = 0;
    try {
      const response = await fetch('/api/v1/auth/handoff', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(replace ? { token, replace: true } : { token }),
      });
      status = response.status;
    } catch {
      // Not reached: 0 is shown as "try again".
    }
    if (status === 200) window.location.replace('/');
    else if (status === 409) show('conflict');
    else if (status === 401) show('refused');
    else if (status === 403) show('not-included');
    else show('unreachable');
  };

  const begin = () => {
    document.querySelector('[data-act="replace"]')?.addEventListener('click', () => connect(true));
    document.querySelector('[data-act="retry"]')?.addEventListener('click', () => connect(false));
    connect(false);
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', begin);
  else begin();
})();
