/** Looks at the processes of a bridge several times a second: memory, open files, and how many loads have an object. */
import { objectFiles } from '../../local/stored-objects.ts';
import {
  descendantsOf,
  forgetPeakOf,
  openFilesMaxOf,
  openFilesOf,
  peakBytesOf,
  residentBytesOf,
} from '../processes.ts';

export interface Watched {
  /** The most memory that all its processes held, added up; and the most in each half of the time. */
  peakBytes: number;
  halves: [firstBytes: number, secondBytes: number];
  /** Objects of loads that were made, and the most of them within a second. */
  loadsMade: number;
  loadsMadePerSecond: number;
  /** The most files that were open, and how many may be. */
  openFiles: number;
  openFilesMax: number;
}

const LOOK_MS = 250;
const LOOKS_PER_SECOND = 1_000 / LOOK_MS;

export class ProcessWatch {
  readonly #pids: number[];
  readonly #persistTo: string;
  readonly #timer: NodeJS.Timeout;
  /** Objects of loads that there were at each look. */
  readonly #loads: number[] = [];
  /** Memory of all processes at each look. */
  readonly #bytes: number[] = [];
  #openFiles = 0;

  /** @param pid of the first of its processes; none begins or ends while they are watched. */
  constructor(pid: number, persistTo: string) {
    this.#pids = [pid, ...descendantsOf(pid)];
    this.#persistTo = persistTo;
    this.#pids.forEach(forgetPeakOf);
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  end(): Watched {
    clearInterval(this.#timer);
    this.#look();
    return {
      peakBytes: this.#sum((pid) => peakBytesOf(pid) ?? 0),
      halves: halvesOf(this.#bytes),
      ...madeIn(this.#loads),
      openFiles: this.#openFiles,
      openFilesMax: Math.min(...this.#pids.map(openFilesMaxOf)),
    };
  }

  #look(): void {
    this.#loads.push(objectFiles(this.#persistTo, 'Load').length);
    this.#bytes.push(this.#sum((pid) => residentBytesOf(pid) ?? 0));
    this.#openFiles = Math.max(this.#openFiles, this.#sum(openFilesOf));
  }

  #sum(of: (pid: number) => number): number {
    return this.#pids.reduce((sum, pid) => sum + of(pid), 0);
  }
}

/** The most of each half: memory that grows with the file is more in the second. */
export function halvesOf(looks: readonly number[]): [first: number, second: number] {
  const middle = Math.ceil(looks.length / 2);
  const mostOf = (some: readonly number[]): number => some.reduce((most, each) => Math.max(most, each), 0);
  return [mostOf(looks.slice(0, middle)), mostOf(looks.slice(middle))];
}

/** @param loads how many there were at each look. */
export function madeIn(loads: readonly number[]): Pick<Watched, 'loadsMade' | 'loadsMadePerSecond'> {
  const perSecond = loads.map((count, look) => count - (loads[Math.max(0, look - LOOKS_PER_SECOND)] ?? count));
  return { loadsMade: (loads.at(-1) ?? 0) - (loads[0] ?? 0), loadsMadePerSecond: Math.max(0, ...perSecond) };
}
