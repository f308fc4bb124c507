/**
 * IFTSTA, of which every carrier writes its own: which part of STS says what happened, which reference is the load, how
 * times are written. Pure.
 */

import type { Json } from '../document/canonical.ts';
import { calledColumn } from '../values/element-names.ts';
import { codesOf, STATUS_CODES } from './codes.ts';
import { columnQuestion, type Drafting, decidedEntry, openEntry, shapeNamed } from './draft.ts';
import type { LooseInterchange } from './formats/segments.ts';
import { cellText, type SampleColumn, type Shape, shapeOf } from './shape.ts';
import type { Entry } from './yaml.ts';

export function iftstaCode(drafting: Drafting): Entry {
  const [number, text] = [shapeNamed(drafting, 'STS-02.1'), textShape(drafting)];
  const isListed = [...(number?.counts.keys() ?? [])].some(
    (code) => drafting.lists.get('edifact-event-example')?.find(code) !== undefined,
  );
  const hasTexts = text !== undefined && text.filled > 0 && text.counts.size >= (number?.counts.size ?? 0);
  const shape = hasTexts && !isListed ? text : number;
  if (shape === undefined || shape.filled === 0) {
    const asked = { id: 'status', asks: 'Which element says what happened?', why: 'STS-02 is empty.' };
    return openEntry(drafting, 'eventCode', columnQuestion(drafting, asked, []));
  }
  const path = shape.column.name;
  const words = shape === text ? STATUS_CODES.words : 'edifact-event-example';
  const codes = codesOf(drafting, shape, { ...STATUS_CODES, words });
  if (codes.list !== null) drafting.codeLists.push(codes.list);
  const keep = drafting.answers.get('eventCode.codes');
  if (codes.lookup !== null && keep === undefined) {
    const reason = `${codes.reason} What status numbers mean differs by partner: ask for its list.`;
    return decidedEntry(drafting, 'fields.eventCode', {
      columns: [path],
      spec: { from: path, lookup: codes.lookup },
      confidence: 'unsure',
      reason,
    });
  }
  const question = {
    id: 'eventCode.codes',
    asks: `Which status codes do the values of ${calledColumn(path)} stand for?`,
    why: codes.reason,
    columns: [path],
    evidence: [],
    choices: [
      {
        choice: 'keep',
        says: 'They are the codes that the receiving system wants: send them as they are.',
        isLikely: false,
      },
    ],
    free: null,
    answer: keep === 'keep' ? keep : null,
  } as const;
  if (keep !== 'keep')
    return openEntry(drafting, 'eventCode', question, [{ from: path, lookup: `${drafting.name}-status` }]);
  drafting.questions.push(question);
  return decidedEntry(drafting, 'fields.eventCode', {
    columns: [path],
    spec: path,
    confidence: 'sure',
    reason: 'As you answered.',
  });
}

/** The words beside the number of a status: some partners write nothing else. */
export function statusTexts({ messages }: LooseInterchange, type: string): SampleColumn[] {
  if (type !== 'IFTSTA') return [];
  const name = 'STS-02.4';
  const all = messages.flatMap(({ segments }) => segments.filter(({ tag }) => tag === 'STS'));
  return [{ name, called: name, values: all.map(({ elements }) => cellText(elements[1]?.[3] ?? '')) }];
}

const textShape = (drafting: Drafting): Shape | undefined => shapeNamed(drafting, 'STS-02.4');

export function loadEntry(drafting: Drafting, { messages }: LooseInterchange): Entry {
  const inStatus = new Map<string, string[]>();
  for (const { segments } of messages) {
    let loop = 'UNH';
    for (const { tag, elements } of segments) {
      if (tag === 'CNI' || tag === 'STS') loop = tag;
      const [qualifier = '', value = ''] = elements[0] ?? [];
      if (tag !== 'RFF' || value === '') continue;
      const path = `${loop}/RFF[01.1=${qualifier}]-01.2`;
      inStatus.set(path, [...(inStatus.get(path) ?? []), value]);
    }
  }
  const shapes = [...inStatus].map(([name, values]) => shapeOf({ name, called: name, values }));
  const answer = drafting.answers.get('loadNumber');
  const why = 'The references that usually name the load are missing in some messages.';
  const question = columnQuestion(drafting, { id: 'loadNumber', asks: 'Which reference is the load?', why }, shapes);
  if (answer === undefined)
    return openEntry(
      drafting,
      'loadNumber',
      question,
      shapes.slice(0, 1).map(({ column }) => column.name),
    );
  drafting.questions.push(question);
  return decidedEntry(drafting, 'fields.loadNumber', {
    columns: [answer],
    spec: answer,
    confidence: 'sure',
    reason: 'As you answered.',
  });
}

/** Formats that no list has: years of two digits, and times whose format is not named. */
const MORE_FORMS: Readonly<Record<string, string>> = { '201': 'yyMMddHHmm', '202': 'yyMMddHHmmss', '101': 'yyMMdd' };

export function iftstaTime(drafting: Drafting): Entry[] {
  const path = 'STS/DTM[01.1=334>178>186]-01.3';
  const [form, time] = [shapeNamed(drafting, path), shapeNamed(drafting, 'STS/DTM[01.1=334>178>186]-01.2')];
  const unnamed = (time?.column.values ?? []).find(
    (value, row) => value !== '' && (form?.column.values[row] ?? '') === '',
  );
  const short = [...(form?.counts.keys() ?? [])].filter((each) => MORE_FORMS[each] !== undefined);
  if (time === undefined || (unnamed === undefined && short.length === 0)) return [];
  const pattern =
    unnamed === undefined
      ? undefined
      : unnamed.length === 12
        ? 'yyyyMMddHHmm'
        : unnamed.length === 14
          ? 'yyyyMMddHHmmss'
          : unnamed.length === 8
            ? 'yyyyMMdd'
            : undefined;
  if (short.length > 0) {
    const spec: Json = { from: time.column.name, parse: short.map((each) => MORE_FORMS[each] ?? '') };
    const reason = `The format ${short.join(', ')} has years of two digits; no list has it, so that it is read by its pattern.`;
    return [decidedEntry(drafting, 'fields.time', { columns: [time.column.name], spec, confidence: 'likely', reason })];
  }
  if (pattern === undefined) return [];
  const spec: Json = { from: time.column.name, parse: { from: path, lookup: 'edifact-date-forms', default: pattern } };
  const reason = `Some times do not name their format; ${unnamed} has the digits of ${pattern}.`;
  return [
    decidedEntry(drafting, 'fields.time', { columns: [time.column.name, path], spec, confidence: 'likely', reason }),
  ];
}
