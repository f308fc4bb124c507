/**
 * The console's one script. Every page works without it; with it times are local, ids can be copied, keys move through
 * lists, and what is under way is shown as it happens. It inserts text and numbers only; what is over is taken as a whole
 * from the page that the server makes of it, read by the browser as a document.
 */
export const CONSOLE_JS = `'use strict';
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);

/* On a phone the menu begins closed, and so do filters of which none is set: the stylesheet hides them until this has run. */
function foldBoxes() {
  for (const box of all('[data-menu]:not([data-ready]), .filter-box:not([data-open]):not([data-ready])')) {
    if (matchMedia('(max-width: 879px)').matches) box.open = false;
    box.dataset.ready = '';
  }
}
foldBoxes();

/* The other look is offered: which one is shown may be the system's choice. */
const theme = one('[data-theme-switch]');
if (theme && !document.documentElement.dataset.theme) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const offer = () => {
    const other = dark.matches ? 'light' : 'dark';
    theme.textContent = 'Use ' + other;
    theme.href = theme.href.replace(/set=[a-z]+/, 'set=' + other);
  };
  dark.addEventListener('change', offer);
  offer();
}

/* Times: how long ago, with the reader's own time on hover. */
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
function relative(atMs, nowMs) {
  const apart = Math.abs(nowMs - atMs) / 1000;
  if (apart < 2) return 'now';
  const text = apart < 60 ? Math.floor(apart) + ' s' : apart < 3600 ? Math.floor(apart / 60) + ' min'
    : apart < 172800 ? Math.floor(apart / 3600) + ' h' : Math.floor(apart / 86400) + ' days';
  return atMs <= nowMs ? text + ' ago' : 'in ' + text;
}
function freshTimes() {
  for (const time of all('time[datetime]')) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    if (!time.dataset.exact) { time.dataset.exact = '1'; time.title = local.format(at) + ' (' + time.title + ')'; }
    if (/ago$|^in |^now$/.test(time.textContent)) time.textContent = relative(at, Date.now());
  }
}
freshTimes();
setInterval(freshTimes, 15000);

/* Copy buttons. */
function readyCopies() {
  for (const button of navigator.clipboard ? all('[data-copy][hidden]') : []) {
    const text = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = 'copied';
      setTimeout(() => { button.textContent = text; }, 1500);
    });
  }
}
readyCopies();

/* A page as it is now; null: it was not to be had. Elsewhere is where one signs in. */
function fetchPage(address, then, elsewhere = () => then(null)) {
  const request = new XMLHttpRequest();
  request.responseType = 'document';
  request.open('GET', address);
  request.setRequestHeader('Accept', 'text/html');
  request.addEventListener('loadend', () => {
    const isElsewhere = request.responseURL && new URL(request.responseURL).pathname !== location.pathname;
    if (isElsewhere) elsewhere();
    else then(request.status === 200 && request.response ? request.response : null);
  });
  request.send();
}

const signIn = () => location.reload();

/* Who has signed in again in another tab has a new token, which only a page of theirs knows. Scripts of pages call this. */
function renewToken(form, then) {
  fetchPage(location.href, (now) => {
    const field = now && now.querySelector('main [name=csrf]');
    if (field) form.querySelector('[name=csrf]').value = field.value;
    then(Boolean(field));
  });
}

/* What is under way and has no events of its own is asked for again, unless somebody is in the middle of something: in a
   field, at a button, in what they have marked or opened. */
function refresh(main) {
  for (const box of all('details[open]', main)) box.dataset.served = '';
  const old = document.createElement('p');
  old.className = 'note wait';
  old.setAttribute('role', 'status');
  old.textContent = 'This page was not to be had anew: what it shows may be old. It is asked for again by itself.';
  old.hidden = true;
  main.prepend(old);
  const isBusy = () => {
    const active = document.activeElement;
    return document.hidden || !getSelection().isCollapsed || main.querySelector('details[open]:not([data-served])') !== null
      || (active !== main && main.contains(active) && !active.matches('a[href]'));
  };
  const later = () => setTimeout(() => {
    if (isBusy()) later();
    else fetchPage(location.href, (now) => {
      const fresh = now && now.querySelector('main');
      old.hidden = Boolean(fresh);
      if (!fresh || isBusy()) { later(); return; }
      const active = main.contains(document.activeElement) ? document.activeElement : null;
      const linksTo = (href) => all('a[href="' + CSS.escape(href) + '"]', main);
      const href = active && active.getAttribute('href');
      const nth = href ? linksTo(href).indexOf(active) : -1;
      main.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
      document.title = now.title;
      if (nth >= 0) (linksTo(href)[nth] || main).focus({ preventScroll: true });
      freshTimes();
      readyCopies();
      if (main.querySelector('[data-reload]')) refresh(main);
    }, signIn);
  }, Number(main.querySelector('[data-reload]').dataset.reload));
  later();
}
if (one('main [data-reload]')) refresh(one('main'));

/* A form is sent once. Where the page has stood open for long, the session may have ended since: then it is asked for
   first, and what was typed stays. Forms with a script of their own see to that themselves. */
const FRESH_MS = 300000;
let knownMs = Date.now();
const mayBeOld = (form) => Date.now() - knownMs > FRESH_MS && form.querySelector('[name=csrf]') !== null
  && !form.matches('[data-upload], [data-fix], [data-bench]');
function sendFresh(form, button) {
  fetchPage(location.href, (now) => {
    const field = now && now.querySelector('[name=csrf]');
    if (field) form.querySelector('[name=csrf]').value = field.value;
    knownMs = Date.now();
    delete form.dataset.sent;
    form.requestSubmit(button);
  }, () => {
    delete form.dataset.sent;
    saySignedOut(form);
  });
}
function saySignedOut(form) {
  const known = form.querySelector('[data-signed-out]');
  if (known) known.remove();
  const note = document.createElement('p');
  note.className = 'note bad';
  note.dataset.signedOut = '';
  note.setAttribute('role', 'alert');
  const link = document.createElement('a');
  link.href = '/console/sign-in';
  link.target = '_blank';
  link.textContent = 'Sign in in a new tab';
  note.append('You have been signed out. Nothing was done. ', link, ', then press the button again: what you typed stays here.');
  form.append(note);
}
for (const form of all('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    else if (mayBeOld(form)) {
      event.preventDefault();
      sendFresh(form, event.submitter);
    }
    form.dataset.sent = '1';
    setTimeout(() => { delete form.dataset.sent; }, 8000);
  });
}
for (const box of all('[data-check-all]')) {
  box.addEventListener('change', () => { for (const each of all('input[type=checkbox][name]', box.closest('form'))) each.checked = box.checked; });
}
for (const field of all('[data-submit-on-change]')) field.addEventListener('change', () => field.form.requestSubmit());

/* Keys: / search, j and k through rows, Enter opens, Escape closes. */
let at = -1;
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.isContentEditable) return;
  const typing = event.target.closest && event.target.closest('input, select, textarea');
  if (event.key === 'Escape') {
    const close = one('[data-close]');
    if (typing) typing.blur(); else if (close) close.click();
    return;
  }
  if (typing) return;
  if (event.key === '/') { const search = one('[data-search]'); if (search) { event.preventDefault(); search.focus(); } return; }
  const rows = all('tr[data-row]');
  if (event.key === 'j' || event.key === 'k') {
    at = Math.max(0, Math.min(rows.length - 1, at + (event.key === 'j' ? 1 : -1)));
    rows.forEach((row, index) => row.classList.toggle('at', index === at));
    if (rows[at]) rows[at].scrollIntoView({ block: 'nearest' });
  }
  if (event.key === 'Enter' && event.target === document.body && rows[at] && rows[at].dataset.row) location.href = rows[at].dataset.row;
});

/* What is under way: counts, the bar and visible rows, by server-sent events. */
const LOOKS = ['good', 'bad', 'held', 'wait', 'done'];
function mark(node) { node.classList.remove('changed'); void node.offsetWidth; node.classList.add('changed'); }
function setText(node, text) { if (node.textContent !== text) { node.textContent = text; mark(node); } }
function setBar(segments) {
  const bar = one('[data-bar]');
  if (!bar) return;
  const total = LOOKS.reduce((sum, look) => sum + (segments[look] || 0), 0);
  let x = 0;
  for (const look of LOOKS) {
    const rect = bar.querySelector('[data-look=' + look + ']');
    const count = segments[look] || 0;
    const width = count === 0 ? 0 : Math.max(4, Math.round(count / total * 1000));
    rect.setAttribute('x', String(x));
    rect.setAttribute('width', String(width));
    x += width;
  }
}
function setLook(node, row) { node.className = 'state ' + row.look; node.dataset.shape = row.shape; }
/* As batch-rows.tsx makes the cell: one line, whole in its title. */
function setWhy(cell, text) {
  const said = cell.querySelector('span[title]');
  if ((said ? said.title : '') === text) return;
  const line = document.createElement('div');
  const span = line.appendChild(document.createElement('span'));
  span.title = span.textContent = text;
  cell.replaceChildren(...(text === '' ? [] : [line]));
}
function show(now) {
  if (now.title) document.title = now.title;
  for (const [name, row] of Object.entries(now.looks || {})) for (const node of all('[data-live="' + name + '"]')) setLook(node, row);
  for (const [name, isShown] of Object.entries(now.shown || {})) for (const node of all('[data-when="' + name + '"]')) node.hidden = !isShown;
  for (const [name, text] of Object.entries(now.texts || {})) for (const node of all('[data-live="' + name + '"]')) setText(node, text);
  for (const [name, text] of Object.entries(now.counts || {})) for (const node of all('[data-count="' + name + '"]')) setText(node, text);
  if (now.segments) setBar(now.segments);
  const bar = one('[data-bar]');
  if (bar && now.barText) { bar.setAttribute('aria-label', now.barText); bar.querySelector('title').textContent = now.barText; }
  for (const [id, row] of Object.entries(now.rows || {})) {
    const node = document.getElementById(id);
    const state = node && node.querySelector('.state');
    const why = node && node.querySelector('td[data-name=Why]');
    if (why) setWhy(why, row.why);
    if (!state || state.textContent === row.label) continue;
    state.textContent = row.label;
    state.title = row.meaning;
    setLook(state, row);
    mark(node);
  }
}

/* It is over: all that the server says of it is fetched once more, and takes the place of what is shown. What somebody is
   typing into stays as it is, and so does where they are. */
function renew(lost) {
  const address = new URL(location.href);
  address.searchParams.set('ended', 'true');
  fetchPage(address, (now) => {
    const isWhole = now !== null && now.querySelector('[data-part]') !== null;
    lost.classList.toggle('shown', !isWhole);
    if (!isWhole) { setTimeout(renew, AGAIN_MS, lost); return; }
    for (const part of all('[data-part]')) {
      const fresh = now.querySelector('[data-part=' + part.dataset.part + ']');
      const active = part.contains(document.activeElement) ? document.activeElement : null;
      if (!fresh || (active && active.matches('input, select, textarea'))) continue;
      const href = active && active.getAttribute('href');
      const placed = document.importNode(fresh, true);
      part.replaceWith(placed);
      const same = href && placed.querySelector('a[href="' + CSS.escape(href) + '"]');
      if (same) same.focus({ preventScroll: true });
    }
    for (const note of all('.said [data-when]')) note.hidden = true;
    document.title = now.title;
    const said = one('[data-said]');
    if (said) said.textContent = now.title;
    foldBoxes();
    freshTimes();
    readyCopies();
  }, signIn);
}
const AGAIN_MS = 5000;
const source = document.body.dataset.live;
if (source) {
  const lost = one('[data-lost]');
  let failures = 0;
  const heard = () => { failures = 0; lost.classList.remove('shown'); };
  const listen = () => {
    const events = new EventSource(source);
    events.addEventListener('open', heard);
    events.addEventListener('progress', (event) => { heard(); show(JSON.parse(event.data)); });
    events.addEventListener('end', () => { events.close(); renew(lost); });
    events.addEventListener('error', () => {
      failures += 1;
      const isRefused = events.readyState === 2; /* for the browser that is its end */
      if (failures > 1 || isRefused) lost.classList.add('shown');
      const again = () => setTimeout(listen, Math.min(12, failures) * AGAIN_MS);
      if (isRefused) fetchPage(location.href, again, signIn);
    });
  };
  listen();
}
`;
