/** Messages for refused interchanges: the same before an upload is accepted and after it was unpacked. */
import { type ControlRefusal, type InterchangeFault, REPEATED, type RefusedInterchange } from './validate.ts';

/** More interchanges in one upload than control numbers are stored for; `control`: of the first beyond. */
export interface TooManyInterchanges {
  code: 'too_many_interchanges';
  control: string;
  interchangesMax: number;
}

interface RefusalMessages {
  title: string;
  detail: string;
  fix: string;
}

/** Ours: the sentence must stay readable. */
const CONTROLS_NAMED_MAX = 20;

export function refusalMessage(error: RefusedInterchange | TooManyInterchanges): RefusalMessages {
  switch (error.code) {
    case 'identity_mismatch':
      return withOthers(error, {
        title: 'Not agreed for this key',
        detail: `Interchange ${error.control} names the ${error.what} ${JSON.stringify(error.found)}; for this partner ${error.allowed.join(', ')} ${error.allowed.length === 1 ? 'is' : 'are'} agreed (${error.standard}).`,
        fix: 'Send it with the key of that partner, or ask the operator to bind the id.',
      });
    case 'environment_mismatch':
      return withOthers(error, {
        title: 'Test indicator disagrees with the key',
        detail: `Interchange ${error.control} says that it is ${error.isTest ? 'a test' : 'for production'}, but the key is for ${error.environment} (${error.standard}).`,
        fix: `Set the test indicator (ISA15, or UNB 0035) to ${error.isTest ? 'production' : 'test'}, or send it with the other key.`,
      });
    case 'test_indicator_invalid':
      return withOthers(error, {
        title: 'No test indicator',
        detail: `Interchange ${error.control} says ${JSON.stringify(error.found)} where it should say whether it is a test (${error.standard}).`,
        fix: 'Write P or T in ISA15, and send it again; in EDIFACT write 1 in UNB 0035 for a test and nothing for production.',
      });
    case 'too_many_interchanges':
      return {
        title: 'Too many interchanges',
        detail: `The file holds more than ${error.interchangesMax} interchanges, whose control numbers are to be known when they come again; ${error.control} is the first beyond.`,
        fix: 'Divide them among several files, or put more sets into each interchange.',
      };
    case 'control_duplicate':
      return duplicateMessage(error);
    case 'control_conflict':
      return conflictMessage(error);
  }
}

function duplicateMessage(error: ControlRefusal & RefusedInterchange): RefusalMessages {
  const { control, batchId } = error;
  const title = 'Interchange has come before';
  if (batchId === null) {
    return {
      title,
      detail: `Interchange ${control} stands in this upload twice, with the same content; nothing of the upload was taken.`,
      fix: `Send ${named(wellFormedOf(error))} again, ${wellFormedOf(error).length > 1 ? 'each once' : 'once'}${withoutRepeated(error)}.`,
    };
  }
  const told = `GET ${locationLink(error, batchId)} says what became of ${error.upload === undefined ? 'it' : control}.`;
  const others = [
    ...(wellFormedOf(error).length > 0 ? [`Send ${named(wellFormedOf(error))} again${withoutRepeated(error)}.`] : []),
    ...(conflictsOf(error).length > 0 ? [conflictFix(error)] : []),
  ];
  return {
    title,
    detail: `Interchange ${control} came with the same content in ${locationMessage(error, batchId)}; it is not taken twice${untaken(error)}.`,
    fix: others.length > 0 ? [...others, told].join(' ') : `Nothing needs to be done: ${told} ${FORCE_MESSAGES}`,
  };
}

function conflictMessage(error: ControlRefusal & RefusedInterchange): RefusalMessages {
  const { control, batchId } = error;
  const title = 'Control number was used';
  if (batchId === null) {
    return {
      title,
      detail: `Interchange ${control} stands in this upload twice, with different content; nothing of the upload was taken.`,
      fix: `Give the second of them a control number of its own, and send the upload again${withoutRepeated(error)}.`,
    };
  }
  const others =
    wellFormedOf(error).length > 0 ? `Send ${named(wellFormedOf(error))} again${withoutRepeated(error)}. ` : '';
  return {
    title,
    detail: `Interchange ${control} came with other content in ${locationMessage(error, batchId)}; nobody can tell which of the two is meant${untaken(error)}.`,
    fix: `${others}${conflictFix(error)} GET ${locationLink(error, batchId)} says what was taken of ${control}. ${FORCE_MESSAGES}`,
  };
}

const FORCE_MESSAGES =
  'force=true with a new Idempotency-Key sends every event of an upload, delivered ones once more.';

const conflictFix = (error: RefusedInterchange): string =>
  error.upload === undefined
    ? 'Send what of it was not taken under a control number of its own.'
    : `Send what was not taken of ${named(conflictsOf(error))} under control numbers of their own.`;

/** Adds what to do about the others in the upload, unless the reason is a repeated control number. */
function withOthers({ upload }: RefusedInterchange, messages: RefusalMessages): RefusalMessages {
  if (upload === undefined) return messages;
  const { faults, sound } = upload;
  const wrong = faults.length > 1 ? ` Also at fault: ${listed(faults.slice(1).map(({ control }) => control))}.` : '';
  return {
    ...messages,
    detail: `${messages.detail} Nothing of this upload was taken.${wrong}`,
    fix: sound.length > 0 ? `${messages.fix} Send ${named(sound)} again without what is at fault.` : messages.fix,
  };
}

const wellFormedOf = ({ upload }: RefusedInterchange): readonly string[] => upload?.sound ?? [];

const untaken = ({ upload }: RefusedInterchange): string =>
  upload === undefined ? '' : ', and nothing of this upload was taken';

const repeatedOf = ({ upload }: RefusedInterchange): readonly InterchangeFault[] =>
  (upload?.faults ?? []).filter(({ standard }) => standard === REPEATED);

const conflictsOf = (error: RefusedInterchange): string[] =>
  repeatedOf(error).flatMap(({ code, control }) => (code === 'control_conflict' ? [control] : []));

/** Of a number used twice in the upload, the first interchange is to be sent. */
function withoutRepeated(error: RefusedInterchange): string {
  const sound = new Set(wellFormedOf(error));
  const before = repeatedOf(error).flatMap(({ control }) => (sound.has(control) ? [] : [control]));
  return before.length === 0 ? '' : `, without ${listed(before)}`;
}

const named = (controls: readonly string[]): string =>
  `interchange${new Set(controls).size === 1 ? '' : 's'} ${listed(controls)}`;

function listed(controls: readonly string[]): string {
  const once = [...new Set(controls)];
  const first = once.slice(0, CONTROLS_NAMED_MAX).join(', ');
  return once.length > CONTROLS_NAMED_MAX ? `${first} and ${once.length - CONTROLS_NAMED_MAX} more` : first;
}

const locationMessage = ({ message }: ControlRefusal, batchId: string): string =>
  message === undefined ? `batch ${batchId}` : `message ${message} of batch ${batchId}`;

const locationLink = ({ message }: ControlRefusal, batchId: string): string =>
  message === undefined ? `/v1/batches/${batchId}` : `/v1/messages/${batchId}/${message}`;
