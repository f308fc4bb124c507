/** Interchanges of 214 sets for worker tests: ours, one load each, sound unless a test spoils them. */
export interface SetWanted {
  load: string;
  /** AT7 and what follows it. */
  events?: readonly string[];
  /** SE01, where it is not what was counted. */
  count?: number;
}

const SENDER = '*02*DEMO           *ZZ*TRANSLOAD      ';

export function a214(sets: readonly SetWanted[], { control = 17, ta1 = '0', test = 'T' } = {}): string {
  const isa = `ISA*00*          *00*          ${SENDER}*260302*1500*U*00401*${String(control).padStart(9, '0')}*${ta1}*${test}*>~`;
  const lines = sets.flatMap((set, index) => setOf(set, String(index + 1).padStart(4, '0')));
  return [
    isa,
    `GS*QM*DEMO*TRANSLOAD*20260302*1500*${control}*X*004010~`,
    ...lines,
    `GE*${sets.length}*${control}~`,
    `IEA*1*${String(control).padStart(9, '0')}~`,
  ].join('\n');
}

export const arrival = (code = 'X3', time = '0815'): string => `AT7*${code}*NS***20260302*${time}*CT~`;

function setOf({ load, events = [arrival()], count }: SetWanted, control: string): string[] {
  const inner = [`B10*PRO-${load}*${load}*DEMO~`, 'LX*1~', ...events];
  return [`ST*214*${control}~`, ...inner, `SE*${count ?? inner.length + 2}*${control}~`];
}
