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

function send(address, body, then, onProgress) {
  const request = new XMLHttpRequest();
  request.open('POST', address);
  request.responseType = 'document';
  request.addEventListener('load', () => then(request));
  request.addEventListener('error', () => say('The connection was lost. Nothing was sent; try again.'));
  if (onProgress) request.upload.addEventListener('progress', onProgress);
  request.send(body);
  return request;
}

function say(text) { chosen.textContent = text; progress.hidden = true; busy(false); }
function busy(isBusy) { for (const button of form.querySelectorAll('button')) if (!button.hasAttribute('data-stop')) button.disabled = isBusy; }

/* What the answer has in this place; an answer without it is a page that says why not. */
function take(answer) {
  const now = answer && answer.querySelector('[data-found]');
  const place = found();
  if (now) place.replaceWith(document.importNode(now, true));
  else {
    const main = answer && answer.querySelector('main');
    place.replaceChildren(...(main ? [...main.childNodes].map((node) => document.importNode(node, true)) : []));
  }
  const kinds = form.querySelector('[data-kinds]');
  if (kinds && found() && 'choose' in found().dataset) { kinds.open = true; found().scrollIntoView({ block: 'nearest' }); }
  const mapping = found() && found().dataset.mapping;
  for (const radio of form.querySelectorAll('input[name=mapping]')) if (mapping && radio.value === mapping) radio.checked = true;
}

function look() {
  if (!file) return;
  const isPart = file.size > PART;
  chosen.textContent = file.name + ', ' + sizeText(file.size) + '. It is being checked…';
  busy(true);
  send(form.dataset.check, bodyWith(isPart ? file.slice(0, PART) : file, isPart), (request) => {
    busy(false);
    take(request.response);
    chosen.textContent = file.name + ', ' + sizeText(file.size);
    const heading = found().querySelector('h2');
    if (heading) { heading.tabIndex = -1; heading.focus(); }
  });
}

function choose(files) {
  if (!files || files.length === 0) return;
  if (files.length > 1) { say('Drop one file at a time, or put them into a ZIP.'); return; }
  file = files[0];
  if (file.size === 0) { say(file.name + ' is empty. Export it again, and choose it once more.'); return; }
  const automatic = form.querySelector('input[name=mapping][value=""]');
  if (automatic) automatic.checked = true;
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
  sending = send((button && button.getAttribute('formaction')) || form.action, bodyWith(file, false), (request) => {
    const answer = request.response;
    if (request.status < 400 && answer && !answer.querySelector('[data-upload]')) { location.href = request.responseURL; return; }
    progress.hidden = true;
    busy(false);
    take(answer);
  }, (event2) => {
    if (!event2.lengthComputable) return;
    bar.max = event2.total;
    bar.value = event2.loaded;
    text.textContent = event2.loaded < event2.total ? sizeText(event2.loaded) + ' of ' + sizeText(event2.total) : 'Arrived; taking it in…';
  });
}, true);
progress.querySelector('[data-stop]').addEventListener('click', () => { if (sending) sending.abort(); say('Stopped. Nothing was sent.'); });
})();
`;
