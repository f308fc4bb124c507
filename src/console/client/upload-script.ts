/**
 * The script of the page on which a file is sent: drop instead of choose, a look at the file before it is sent, and how
 * far it is. Answers are pages of ours, read as documents: nothing in them runs, and only one part of them is taken over.
 * Without it the same form works with its two buttons.
 */
export const uploadJs = (partBytes: number): string => `'use strict';
(() => {
const form = document.querySelector('[data-upload]');
if (!form) return;
const input = form.querySelector('input[type=file]');
const drop = form.querySelector('[data-drop]');
const chosen = form.querySelector('[data-chosen]');
const progress = form.querySelector('[data-progress]');
const PART = ${partBytes};
let file = null;
let sending = null;
let isWhole = false;
let looks = 0;
let isStale = false;

const sizeText = (bytes) => bytes < 1024 ? bytes + ' bytes' : bytes < 1048576 ? (bytes / 1024).toFixed(1) + ' KB' : (bytes / 1048576).toFixed(1) + ' MB';
const found = () => document.querySelector('[data-found]');
const kind = () => (form.querySelector('input[name=mapping]:checked') || { value: '' }).value;

/* The order counts: the file is last, and everything about it is known before it arrives. */
function bodyWith(content, isPart) {
  const body = new FormData();
  body.append('csrf', form.querySelector('[name=csrf]').value);
  body.append('mapping', kind());
  const scac = form.querySelector('[name=scac]');
  if (scac) body.append('scac', scac.value);
  if (isPart) { body.append('part', 'true'); body.append('bytes', String(file.size)); }
  body.append('file', content, file.name);
  return body;
}

function posting(address) {
  const request = new XMLHttpRequest();
  request.open('POST', address);
  request.setRequestHeader('Accept', 'text/html');
  request.responseType = 'document';
  return request;
}

function withToken(then) {
  if (isStale) renewToken(form, (isNew) => { isStale = !isNew; then(); });
  else then();
}

function send(request, body, then, lost) {
  request.addEventListener('load', () => { isStale = request.status === 401 || request.status === 403; then(request); });
  request.addEventListener('error', lost);
  request.send(body);
}

/* While a file is sent, it is that file. */
function nowSending(request) {
  sending = request;
  for (const field of form.querySelectorAll('input, select')) field.disabled = request !== null;
}

function say(text) { chosen.textContent = text; progress.hidden = true; busy(false); }
function busy(isBusy) { for (const button of form.querySelectorAll('button')) if (!button.hasAttribute('data-stop')) button.disabled = isBusy; }

/* A page of another kind says why not, or nothing of ours answered: the file stays chosen, and the buttons where they are. */
function refuse(request) {
  const isSignedOut = request.status === 401;
  const main = request.response && request.response.querySelector('main');
  const texts = isSignedOut ? ['You were signed out. Nothing was sent.'] : main ? [...main.querySelectorAll('h1, p:not(.actions):not(.quiet), .note')].map((node) => node.textContent)
    : ['The bridge does not answer now.', 'Try again in a minute: the same file is never taken in twice.'];
  const box = document.createElement('div');
  box.className = 'note bad';
  box.dataset.refused = '';
  box.setAttribute('role', 'alert');
  for (const text of texts) {
    const line = document.createElement('p');
    const words = box.childElementCount === 0 ? document.createElement('strong') : line;
    words.textContent = text;
    if (words !== line) line.append(words);
    box.append(line);
  }
  if (isSignedOut) {
    const link = document.createElement('a');
    const isByLink = 'byLink' in form.dataset;
    link.href = isByLink ? '/console/open' : '/console/sign-in';
    link.target = '_blank';
    link.textContent = isByLink ? 'Open your link again in a new tab' : 'Sign in in a new tab';
    const line = document.createElement('p');
    line.append(link, ', then try again here. Your file is still chosen.');
    box.append(line);
  }
  found().prepend(box);
  box.scrollIntoView({ block: 'nearest' }); /* whoever pressed a button on a phone is below it */
}

/* What the answer has in this place. */
function take(request) {
  for (const box of form.querySelectorAll('[data-refused]')) box.remove();
  const now = request.response && request.response.querySelector('[data-found]');
  if (!now) { refuse(request); return; }
  found().replaceWith(document.importNode(now, true));
  const kinds = form.querySelector('[data-kinds]');
  if (kinds && 'choose' in found().dataset) { kinds.open = true; found().scrollIntoView({ block: 'nearest' }); }
  const mapping = found().dataset.mapping;
  for (const radio of form.querySelectorAll('input[name=mapping]')) if (mapping && radio.value === mapping) radio.checked = true;
}

/* What is shown was found in another file, or as another kind. */
function forget() {
  for (const part of [...found().children]) if (!part.matches('.actions')) part.remove();
  const [send, check] = found().querySelectorAll('button');
  send.textContent = 'Send the file';
  send.classList.remove('primary');
  check.textContent = 'Check it first';
}

/* Of two looks at once the later one counts. */
function look() {
  if (!file || sending) return;
  const mine = ++looks;
  const isPart = file.size > PART;
  chosen.textContent = file.name + ', ' + sizeText(file.size) + '. It is being checked…';
  busy(true);
  withToken(() => {
    if (mine !== looks) return;
    send(posting(form.dataset.check), bodyWith(isPart ? file.slice(0, PART) : file, isPart), (request) => {
      if (mine !== looks) return;
      busy(false);
      forget();
      take(request);
      chosen.textContent = file.name + ', ' + sizeText(file.size);
      const heading = found().querySelector('[data-refused], h2');
      if (heading) { heading.tabIndex = -1; heading.focus(); }
    }, () => {
      if (mine !== looks) return;
      forget();
      say('The connection was lost. ' + file.name + ' is still chosen; check it again, or send it.');
    });
  });
}

function choose(files) {
  if (!files || files.length === 0 || sending) return;
  if (files.length > 1) { say('Drop one file at a time, or put them into a ZIP.'); return; }
  looks += 1;
  const [only] = files;
  if (only.size === 0) {
    file = null;
    input.value = '';
    say(only.name + ' is empty. Export it again, and choose it once more.');
    return;
  }
  const automatic = form.querySelector('input[name=mapping][value=""]');
  if (automatic && file) automatic.checked = true; /* the kind was that of another file */
  file = only;
  if (input.files !== files) input.files = files; /* one that was dropped */
  look();
}

input.addEventListener('change', () => choose(input.files));
drop.addEventListener('dragover', (event) => { event.preventDefault(); drop.classList.add('over'); });
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => { event.preventDefault(); drop.classList.remove('over'); choose(event.dataTransfer.files); });
for (const field of form.querySelectorAll('input[name=mapping], select[name=scac]')) field.addEventListener('change', look);

form.addEventListener('submit', (event) => {
  if (!file) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const button = event.submitter;
  if (button && button.hasAttribute('data-look')) { look(); return; }
  const bar = progress.querySelector('progress');
  const text = progress.querySelector('[data-far]');
  progress.hidden = false;
  bar.value = 0;
  text.textContent = 'Sending…';
  busy(true);
  const request = posting((button && button.getAttribute('formaction')) || form.action);
  nowSending(request);
  looks += 1;
  isWhole = false;
  request.upload.addEventListener('progress', (event2) => {
    if (!event2.lengthComputable) return;
    bar.max = event2.total;
    bar.value = event2.loaded;
    isWhole = event2.loaded === event2.total;
    text.textContent = isWhole ? 'Arrived; taking it in…' : sizeText(event2.loaded) + ' of ' + sizeText(event2.total);
  });
  const ended = () => { if (sending === request) nowSending(null); };
  request.addEventListener('loadend', ended);
  withToken(() => {
    if (sending !== request) return;
    send(request, bodyWith(file, false), () => {
      ended();
      const answer = request.response;
      if (request.status < 400 && answer && !answer.querySelector('[data-upload]')) { location.href = request.responseURL; return; }
      progress.hidden = true;
      busy(false);
      take(request);
    }, () => say('The connection was lost. It may have arrived: send it again, the same file is never taken in twice.'));
  });
}, true);
progress.querySelector('[data-stop]').addEventListener('click', () => {
  if (sending) sending.abort();
  nowSending(null);
  say(isWhole ? 'Stopped. All of it had left: it may have been taken in, which your batches show.' : 'Stopped. Nothing was sent.');
});
addEventListener('beforeunload', (event) => { if (sending) event.preventDefault(); });
})();
`;
