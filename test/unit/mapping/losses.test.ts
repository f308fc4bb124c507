/**
 * What a lost terminator or trailer can do to the requests of a 214 or an IFTSTA: an error with its place, or nothing. Never
 * another request.
 */

import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import type { Position, Problem } from '../../../src/kernel/problem.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { ROOT, SHIPPED } from './shipped.ts';

interface Outcome {
  requests: string[];
  /** With where each stands: the position of its record, or its own. */
  errors: { problem: Problem; position: Position | undefined }[];
}

type Name = 'x12-214' | 'edifact-iftsta';

async function outcomeOf(name: Name, text: string): Promise<Outcome> {
  const shipped = SHIPPED.get(name);
  if (shipped === undefined) throw new Error(`${name} is not shipped`);
  const outcome: Outcome = { requests: [], errors: [] };
  for await (const step of mapFile(shipped.mapping, bytesInMemory(Buffer.from(text)))) {
    if (step.outcome === 'unreadable') {
      outcome.errors.push(...step.problems.map((problem) => ({ problem, position: problem.position })));
    } else if (step.outcome === 'ends_early') {
      outcome.errors.push({ problem: step.problem, position: step.problem.position });
    } else {
      for (const { position, mapped } of step.records) {
        outcome.requests.push(...mapped.requests.map((request) => JSON.stringify(request)));
        outcome.errors.push(...mapped.errors.map((problem) => ({ problem, position })));
      }
    }
  }
  return outcome;
}

/** What ends segments, unless it is released, and what closes a set, a group or an interchange. */
const PARTS: Record<Name, { terminator: RegExp; trailer: RegExp }> = {
  'x12-214': { terminator: /~/g, trailer: /(?:SE|GE|IEA)\*[^~]*~\n?/g },
  'edifact-iftsta': { terminator: /(?<!\?)'/g, trailer: /(?:UNT|UNE|UNZ)\+[^']*'\n?/g },
};

const fixture = (path: string): string => readFileSync(join(ROOT, 'fixtures', path), 'utf8');
const THREE_SETS = fixture('x12-214/three-sets/input.x12');
const THREE_MESSAGES = fixture('edifact-iftsta/clean/input.edifact');
const TWO_UNB = THREE_MESSAGES.replace(/^UNA.*\n/, '');
const FILES: Record<string, readonly [Name, string]> = {
  'a file of three sets': ['x12-214', THREE_SETS],
  'the file on one line': ['x12-214', THREE_SETS.replaceAll('\n', '')],
  'two interchanges': [
    'x12-214',
    THREE_SETS + THREE_SETS.replaceAll('000000101', '000000102').replaceAll('LD49', 'LE49'),
  ],
  'a file of three messages': ['edifact-iftsta', THREE_MESSAGES],
  'the messages on one line': ['edifact-iftsta', THREE_MESSAGES.replaceAll('\n', '')],
  'two interchanges of messages': [
    'edifact-iftsta',
    TWO_UNB + TWO_UNB.replaceAll('1500+71', '1500+72').replace('UNZ+3+71', 'UNZ+3+72').replaceAll('LE9', 'LF9'),
  ],
};

/** Cut out of the text, one at a time. */
const without = (text: string, parts: RegExp): string[] =>
  [...text.matchAll(parts)].map(({ index, 0: part }) => text.slice(0, index) + text.slice(index + part.length));

describe.each(Object.entries(FILES))('%s', (_about, [name, text]) => {
  const losses = [...without(text, PARTS[name].terminator), ...without(text, PARTS[name].trailer)];

  it('loses a terminator or a trailer without another request, and never without a word', async () => {
    const whole = await outcomeOf(name, text);
    expect(whole.requests.length).toBeGreaterThan(4);
    const known = new Set(whole.errors.map(({ problem: { message } }) => message));
    for (const lost of losses) {
      const { requests, errors } = await outcomeOf(name, lost);
      expect(requests.filter((request) => !whole.requests.includes(request))).toEqual([]);
      const isReportable = errors.some(({ problem: { message } }) => !known.has(message));
      const isTold = isReportable || requests.length === whole.requests.length;
      expect(isTold, lost.slice(0, 200)).toBe(true);
    }
  });

  it('says of each loss where it is', async () => {
    const known = new Set((await outcomeOf(name, text)).errors.map(({ problem: { message } }) => message));
    for (const lost of losses) {
      const { errors } = await outcomeOf(name, lost);
      for (const { problem, position } of errors.filter(({ problem: { message } }) => !known.has(message))) {
        expect(position?.line ?? /line \d+|byte \d+/.exec(problem.message), problem.message).toBeTruthy();
      }
    }
  });

  it('is refused in whole or in part, or means the same, however it is cut', async () => {
    const whole = await outcomeOf(name, text);
    for (let bytes = 1; bytes < text.length; bytes += 7) {
      const { requests } = await outcomeOf(name, text.slice(0, bytes));
      expect(requests.filter((request) => !whole.requests.includes(request))).toEqual([]);
    }
  });
});
