'use strict';
// This script refreshes the page in place: it fetches the page and changes only what differs. So the scroll
// position, the focus and a selection stay. The page works without the script, too.
(() => {
  const every = 2000; // ms from a response to the next request
  const patience = 10000; // ms until a request is aborted
  const status = document.getElementById('status');
  const pause = document.getElementById('pause');
  const input = document.getElementById('filter');
  let paused = false, timer = 0, current = null, lastAnswer = new Date();

  // address returns the page's address with the current filter. Other parameters of the query stay, as the
  // program may need them.
  function address(format) {
    const query = new URLSearchParams(location.search);
    query.delete('format');
    query.delete('filter');
    if (format) query.set('format', format);
    if (input.value) query.set('filter', input.value);
    const text = query.toString();
    return location.pathname + (text && '?' + text);
  }

  // sync makes the tree old equal to fresh, and changes only what differs.
  function sync(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
      old.replaceWith(fresh);
      return;
    }
    if (old.nodeType === Node.TEXT_NODE) {
      old.data = fresh.data;
      return;
    }
    for (const {name} of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const {name, value} of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const before = [...old.childNodes], after = [...fresh.childNodes];
    after.forEach((node, i) => { if (i < before.length) sync(before[i], node); else old.append(node); });
    before.slice(after.length).forEach((node) => node.remove());
  }

  async function ask(signal) {
    const answer = await fetch(address(), {headers: {Accept: 'text/html'}, cache: 'no-store', signal});
    if (!answer.ok) throw new Error('it answers ' + answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const main = fresh.querySelector('main[data-headway]');
    if (!main) throw new Error('it answers with another page');
    return main;
  }

  // say changes the text only if it differs, as screen readers read each change.
  function say(text, gone) {
    if (status.textContent !== text) status.textContent = text;
    document.documentElement.classList.toggle('gone', gone);
  }

  async function refresh() {
    clearTimeout(timer);
    if (current) current.abort();
    const mine = current = new AbortController();
    const giveUp = setTimeout(() => mine.abort(), patience);
    try {
      const main = await ask(mine.signal);
      if (mine !== current) return;
      sync(document.querySelector('main'), main);
      lastAnswer = new Date();
      say(paused ? 'Paused' : 'Live', false);
    } catch (err) {
      if (mine !== current) return;
      const why = String(err.message).startsWith('it answers') ? ': ' + err.message : '';
      say('No update since ' + lastAnswer.toISOString().slice(11, 19) + ' UTC' + why, true);
    } finally {
      clearTimeout(giveUp);
    }
    later();
  }

  function later() {
    clearTimeout(timer);
    if (!paused && !document.hidden) timer = setTimeout(refresh, every);
  }

  function halt(text) {
    clearTimeout(timer);
    if (current) current.abort();
    current = null;
    say(text, false);
  }

  document.addEventListener('visibilitychange', () => {
    if (paused) return;
    if (document.hidden) halt('Stopped while hidden');
    else refresh();
  });
  pause.addEventListener('click', () => {
    paused = !paused;
    pause.setAttribute('aria-pressed', String(paused));
    if (paused) halt('Paused');
    else refresh();
  });
  function applyFilter() {
    history.replaceState(null, '', address());
    document.getElementById('json').href = address('json');
    refresh();
  }
  input.addEventListener('input', applyFilter);
  input.form.addEventListener('submit', (event) => { event.preventDefault(); applyFilter(); });

  pause.hidden = false;
  say('Live', false);
  later();
})();
