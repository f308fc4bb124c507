/** What is on the bench, as its form says it, and the calls of the API that are made with it. */
import { Buffer } from 'node:buffer';
import type { Values } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { ROWS_SHOWN } from '../batch/rerun.tsx';

/** What a person has on the bench. */
export interface Bench {
  /** Of the mapping that was opened; '' for a new one. */
  name: string;
  written: string;
  codeLists: readonly string[];
  sample: { name: string; bytes: Uint8Array } | null;
}

export const EMPTY: Bench = { name: '', written: '', codeLists: [], sample: null };

/** `answer:zone` chosen, `free:zone` written: what is written counts. */
function answersIn(values: Values): Map<string, string> {
  const answers = new Map<string, string>();
  for (const kind of ['answer:', 'free:']) {
    for (const [name, value] of Object.entries(values)) {
      if (name.startsWith(kind) && value.trim() !== '') answers.set(name.slice(kind.length), value.trim());
    }
  }
  return answers;
}

export async function benchIn(form: FormData, { name = '', document = '' }: Values): Promise<Bench> {
  const codeLists = form
    .getAll('codeList')
    .flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? [each.replaceAll('\r\n', '\n')] : []));
  return { name, written: document, codeLists, sample: await sampleIn(form) };
}

/** A file that was just chosen, a text that was pasted, or what the page was sent back with. */
async function sampleIn(form: FormData): Promise<Bench['sample']> {
  const file = form.get('file');
  if (file !== null && typeof file !== 'string' && file.size > 0)
    return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  const [pasted, carried, name] = ['sample', 'carried', 'carriedName'].map((field) => {
    const value = form.get(field);
    return typeof value === 'string' ? value : '';
  });
  if (pasted !== undefined && pasted !== '')
    return { name: 'sample', bytes: new TextEncoder().encode(pasted.replaceAll('\r\n', '\n')) };
  return carried === undefined || carried === ''
    ? null
    : { name: name ?? 'sample', bytes: new Uint8Array(Buffer.from(carried, 'base64')) };
}

function apiForm({ written, codeLists, sample }: Bench, more: Record<string, string> = {}): FormData {
  const form = new FormData();
  form.set('mapping', written);
  for (const list of codeLists) form.append('codeList', list);
  if (sample !== null) form.set('file', new Blob([sample.bytes]), sample.name);
  for (const [name, value] of Object.entries(more)) form.set(name, value);
  return form;
}

/* What the API says of it. */

export const tryOn = (page: Page, bench: Bench) =>
  page.api.call(page.own('POST /v1/mappings/preview'), { bytes: apiForm(bench) });

export const withExample = (page: Page, bench: Bench, record: string) =>
  page.api.call(page.own('POST /v1/mappings/example'), { bytes: apiForm(bench, { record }) });

export const suggest = (page: Page, { sample }: Bench, values: Values) => {
  const answer = [...answersIn(values)].map(([id, choice]) => `${id}:${choice}`);
  return page.api.call(page.own('POST /v1/mappings/suggest'), {
    query: { fileName: sample?.name ?? 'sample', isPart: values.isPart === 'true' || null, answer },
    bytes: new Blob([sample?.bytes ?? new Uint8Array()]),
  });
};

export const compare = (page: Page, bench: Bench) =>
  page.api.call(page.own('POST /v1/mappings/compare'), { bytes: apiForm(bench) });

/** @param values `rerun`: id and partner of a batch, as the choice says them. */
export function mapAgain(page: Page, bench: Bench, { rerun: chosen = '' }: Values) {
  const [id = '', partner = ''] = chosen.trim().split(' ');
  return page.api.call('POST /v1/ops/batches/{id}/rerun', {
    path: { id },
    bytes: apiForm({ ...bench, sample: null }),
    query: { partner, limit: ROWS_SHOWN },
  });
}
