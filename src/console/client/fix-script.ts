/**
 * The script of the page on which rows are fixed: what was typed is checked by the server a moment later, and what it says
 * is written beside each cell. It inserts text only, never markup. Without it the page has a button that checks.
 */
export const fixJs = (pauseMs: number): string => `'use strict';
(() => {
const form = document.querySelector('[data-fix]');
if (!form) return;
const all = (selector) => [...form.querySelectorAll(selector)];
const byData = (name, value) => form.querySelector('[data-' + name + '="' + CSS.escape(value) + '"]');
let timer = 0;
let turn = 0;
let isLeaving = false;

function setText(node, text) { if (node && node.textContent !== text) node.textContent = text; }

/* A cell that was right before gets a field once it is wrong. */
function fieldFor(record, at) {
  const key = record + '.' + at;
  const known = byData('fix-input', key);
  if (known) return known;
  const cell = byData('fix-cell', key);
  const place = byData('fix-fields', String(record));
  if (!cell || !place) return null;
  const name = 'cell.' + key;
  const box = document.createElement('div');
  box.className = 'field';
  const label = document.createElement('label');
  label.htmlFor = name;
  label.textContent = cell.parentElement.querySelector('dt').textContent;
  const input = document.createElement('input');
  input.id = input.name = name;
  input.defaultValue = cell.textContent;
  input.dataset.fixInput = key;
  input.autocomplete = 'off';
  input.setAttribute('aria-describedby', name + '.problem');
  const hint = document.createElement('span');
  hint.className = 'hint problem';
  hint.id = name + '.problem';
  box.append(label, input, hint);
  place.append(box);
  return input;
}

function show(now) {
  setText(form.querySelector('[data-fix-status]'), now.status);
  const send = form.querySelector('[data-fix-send]');
  setText(send, now.button);
  send.disabled = now.ready === 0;
  for (const row of now.rows) {
    const place = byData('fix-state', String(row.record));
    if (!place) continue; /* it came in since: another page shows it */
    const state = place.querySelector('.state');
    setText(state, row.label);
    state.className = 'state ' + row.look;
    state.dataset.shape = row.shape;
    const texts = new Map();
    const wrong = new Set();
    const others = [];
    for (const { cells, text } of row.problems) {
      if (cells.length === 0) { others.push(text); continue; }
      for (const at of cells) { wrong.add(at); fieldFor(row.record, at); }
      texts.set(cells[0], (texts.get(cells[0]) || []).concat(text));
    }
    for (const input of all('[data-fix-input]')) {
      const [record, at] = input.dataset.fixInput.split('.').map(Number);
      if (record !== row.record) continue;
      input.setAttribute('aria-invalid', String(wrong.has(at)));
      setText(document.getElementById(input.id + '.problem'), (texts.get(at) || []).join(' '));
    }
    setText(byData('fix-others', String(row.record)), others.join(' '));
  }
}

const renewed = () => new Promise((done) => renewToken(form, done));
const live = () => fetch(form.dataset.live, { method: 'POST', body: new FormData(form), headers: { Accept: 'application/json' } });

const BACK_IN = 'byLink' in form.dataset ? 'open your link again' : 'sign in again';
const SIGNED_OUT = 'You were signed out. What you typed is still here: ' + BACK_IN + ' in another tab, then press "Check my changes".';
const LOST = 'The bridge was not reached. What you typed is still here: press "Check my changes" in a minute.';

/* null: nobody answered. */
async function ask() {
  try {
    let answer = await live();
    if ((answer.status === 401 || answer.status === 403) && await renewed()) answer = await live();
    return { status: answer.status, now: await answer.json() };
  } catch {
    return null;
  }
}

/* Whether the page was reached, and still knows who this is. */
async function check() {
  clearTimeout(timer);
  const mine = ++turn;
  const answer = await ask();
  const isReached = answer !== null && answer.status < 500 && answer.status !== 401 && answer.status !== 403;
  if (mine !== turn) return isReached;
  if (isReached && answer.status < 300) show(answer.now);
  else {
    const text = answer === null ? LOST : answer.status === 401 ? SIGNED_OUT : answer.now.problem || answer.now.detail || LOST;
    setText(form.querySelector('[data-fix-status]'), text);
  }
  return isReached;
}

/* Another field of the same column that had the same wrong value. */
const isLike = (other, input) => other !== input && other.dataset.column === input.dataset.column && other.dataset.was === input.dataset.was;

/* The same value for all rows that have the same wrong one; what somebody wrote there by hand stays. */
function spread(input) {
  const box = byData('fix-same', input.id);
  if (!box || !box.checked) return;
  for (const other of all('[data-fix-input]')) {
    if (!isLike(other, input)) continue;
    if (other.value !== other.dataset.was && other.dataset.spread !== input.id) continue;
    other.value = input.value;
    other.dataset.spread = input.id;
  }
}

/* It is offered while other rows have the wrong value still. */
function offerSame() {
  for (const box of all('[data-fix-same]')) {
    const input = document.getElementById(box.dataset.fixSame);
    const others = all('[data-fix-input]').filter((other) => isLike(other, input) && other.value === other.dataset.was).length;
    const label = box.closest('label');
    label.hidden = others === 0 && !box.checked;
    if (others > 0) setText(label.querySelector('[data-fix-count]'), others + (others === 1 ? ' other row' : ' other rows'));
  }
}

form.addEventListener('input', (event) => {
  if (event.target.matches('[data-fix-input]')) { delete event.target.dataset.spread; spread(event.target); }
  if (event.target.matches('[data-fix-same]')) spread(document.getElementById(event.target.dataset.fixSame));
  offerSame();
  clearTimeout(timer);
  timer = setTimeout(check, ${pauseMs});
});

/* What is typed leaves once the page was reached: an answer from elsewhere would take it away. */
form.addEventListener('submit', async (event) => {
  if (isLeaving) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const { submitter } = event;
  if (!(await check())) { form.querySelector('[data-fix-status]').scrollIntoView({ block: 'nearest' }); return; }
  if (submitter && submitter.disabled) return;
  isLeaving = true;
  form.requestSubmit(submitter);
}, true);
/* What the server was asked to check stands in the page as it was typed, and is not sent yet. */
const isChanged = (input) => input.value !== (input.dataset.was ?? input.defaultValue).replace(/[\\r\\n]/g, '');
addEventListener('beforeunload', (event) => {
  if (!isLeaving && all('[data-fix-input]').some(isChanged)) event.preventDefault();
});
/* After such a check the fields follow as before. */
for (const box of all('[data-fix-same]')) if (box.checked) {
  const input = document.getElementById(box.dataset.fixSame);
  for (const other of all('[data-fix-input]'))
    if (isLike(other, input) && other.value === input.value && isChanged(other)) other.dataset.spread = input.id;
}
addEventListener('pageshow', () => { isLeaving = false; });
})();
`;
