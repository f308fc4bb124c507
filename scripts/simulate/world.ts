/**
 * One process of the bridge in virtual time: its objects, the calls between them, their alarms, and their deaths.
 *
 * An object runs in turns: from what woke it until all it does by itself is done. What it wrote in a turn is one commit;
 * what it sends leaves only behind that commit, as the platform's output gate has it. A death falls between two turns,
 * before the commit or behind it: what was not committed is rolled back, and nothing of the instance goes on.
 */
import type { SQLInputValue } from 'node:sqlite';
import { Agenda, type Entry } from './agenda.ts';
import { Budget, type Subrequest } from './budget.ts';
import { copied } from './copied.ts';
import type { Faults } from './faults.ts';
import { drainMicrotasks } from './microtasks.ts';
import type { Cursor, DatabasePool, ObjectDatabase } from './sql.ts';
import { valuesIn } from './values.ts';

type Method = (...args: unknown[]) => Promise<unknown>;
type ObjectClass = new (ctx: unknown, env: unknown) => object;

/** What stays of an object when its instance dies. */
export interface Home {
  className: string;
  name: string;
  database: ObjectDatabase;
  /** When it was first called, whatever became of that. */
  calledAtMs: number;
  /** By its own clock. */
  alarmMs: number | null;
  /** How far its clock is ahead. */
  aheadMs: number;
  /** Its alarm was rung and not set anew since: it is gone once the handler has ended well. */
  isDelivered: boolean;
  /** Set in this turn, not committed yet. */
  staged: { atMs: number | null } | undefined;
  entry: Entry | undefined;
  /** Its last alarm will never ring. */
  isLost: boolean;
  /** Number of the turn in which its storage takes nothing more. */
  fullInTurn: number;
  ringing: Invocation | undefined;
  rangMeanwhile: boolean;
  instance: Instance | undefined;
}

export interface Instance {
  /** null: a partner outside. */
  home: Home | null;
  isAlive: boolean;
  object: object;
  invocations: Set<Invocation>;
  /** What leaves behind the commit of this turn. */
  outgoing: (() => void)[];
  /** Storage that answers in a turn of its own; nothing else reaches the object before it. */
  resumes: { invocation: Invocation; go: () => void }[];
}

interface Invocation {
  instance: Instance;
  budget: Budget;
  /** The instance died with it. */
  lost: () => void;
}

export interface Settle<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/** Told of what happens, to check it. */
export interface Observer {
  /** @param wrote whether the turn changed what is stored. */
  turnEnded(home: Home, wrote: boolean): void;
  statementFailed(home: Home): void;
  breach(invariant: string, what: string): void;
  isBroken(): boolean;
}

export interface WorldParts {
  classes: Readonly<Record<string, ObjectClass>>;
  pool: DatabasePool;
  observer: Observer;
  /** What a process remembers beside its objects is gone with it. */
  forget(): void;
}

/** The last things that happened are kept for whoever asks why. */
const NOTES_MAX = 400;
/** No call and no alarm is longer on its way, in ms: where nothing happens for so long, it is asked whether all is quiet. */
const ON_ITS_WAY_MS = 61_000;
/** By then every deadline has passed, in ms behind the last fault; what is still open is open for ever. */
const AFTERMATH_MS = 5 * 24 * 3_600_000;
/** The longest a call is on its way. */
const SLOW_MS = 10_000;
/** The caller of a call that arrives late has gone on without it. */
const NOBODY = { resolve: () => undefined, reject: () => undefined, lost: () => undefined };
const ALARM_RETRY_MS = 2_000;
/** Not those that make tables, and say their version: tables stay from seed to seed. */
const WRITES = /^\s*(?:INSERT|REPLACE|UPDATE|DELETE)\b(?!.*\bschema_version\b)/i;
/** Those the watch chain looks after. */
const MAY_LOSE_ALARMS = new Set(['IntakeRegister', 'Batch', 'Load', 'Order', 'OrderFeed']);

export class World {
  nowMs: number;
  readonly dice: () => number;
  faults: Faults;
  readonly agenda = new Agenda();
  readonly homes = new Map<string, Home>();
  /** Bindings that are not objects: stores and variables. */
  readonly bindings: Record<string, unknown> = {};
  readonly notes: unknown[][] = [];
  current: Invocation | null = null;
  turns = 0;
  deaths = 0;
  onAlarmLost: (home: Home) => void = () => undefined;
  readonly #parts: WorldParts;
  readonly #stepsMax: number;

  constructor(parts: WorldParts, start: { nowMs: number; dice: () => number; faults: Faults; stepsMax: number }) {
    this.#parts = parts;
    this.nowMs = start.nowMs;
    this.dice = start.dice;
    this.faults = start.faults;
    this.#stepsMax = start.stepsMax;
  }

  /** Whether a fault happens now; none does behind the horizon. */
  chance = (share: number): boolean => share > 0 && this.nowMs < this.faults.untilMs && this.dice() < share;
  breach = (invariant: string, what: string): void => this.#parts.observer.breach(invariant, what);

  note(...what: unknown[]): void {
    if (this.notes.length >= 2 * NOTES_MAX) this.notes.splice(0, NOTES_MAX);
    this.notes.push([this.nowMs, ...what]);
  }

  after(delayMs: number, happen: Entry['happen']): Entry {
    return this.agenda.add(this.nowMs + delayMs, this.dice(), happen);
  }

  /** Until nothing is left to happen but watching and growing old, or something broke. */
  run(isQuiet: () => boolean): void {
    const lastMs = this.faults.untilMs + AFTERMATH_MS;
    for (let steps = 0; ; steps += 1) {
      const entry = this.agenda.next();
      if (entry === undefined || entry.atMs > lastMs || this.#parts.observer.isBroken()) return;
      if (steps > this.#stepsMax) this.breach('I12', `no end after ${steps} steps`);
      if (entry.atMs - this.nowMs > ON_ITS_WAY_MS && isQuiet()) return;
      this.nowMs = Math.max(this.nowMs, entry.atMs);
      entry.happen();
    }
  }

  end(): void {
    this.agenda.clear();
    for (const { className, database } of this.homes.values()) this.#parts.pool.giveBack(className, database);
    this.homes.clear();
  }

  /** A partner's program: it calls objects and is never crashed by us. */
  outsider(): Invocation {
    return invocationOf({ home: null, isAlive: true, object: {}, invocations: new Set(), outgoing: [], resumes: [] });
  }

  /** Everything an object does of itself, and then its commit. */
  step(invocation: Invocation, start: () => void): void {
    const { instance } = invocation;
    if (!instance.isAlive) return;
    this.turns += 1;
    this.current = invocation;
    start();
    drainMicrotasks();
    this.current = null;
    while (this.#endTurn(instance)) {
      const resume = instance.resumes.shift();
      if (resume === undefined) return;
      this.current = resume.invocation;
      resume.go();
      drainMicrotasks();
      this.current = null;
    }
  }

  /** Something outside the object: begun behind the commit, answered in a later turn. */
  outside<T>(start: (settle: Settle<T>) => void, kind: Subrequest = 'open'): Promise<T> {
    const caller = this.current;
    if (caller === null) throw new Error('called from nowhere');
    caller.budget.spend(kind);
    return new Promise<T>((resolve, reject) => {
      caller.instance.outgoing.push(() =>
        start({
          resolve: (value) => this.#back(caller, kind, () => resolve(value)),
          reject: (error) => this.#back(caller, kind, () => reject(error)),
        }),
      );
    });
  }

  #back(caller: Invocation, kind: Subrequest, go: () => void): void {
    this.step(caller, () => {
      caller.budget.free(kind);
      go();
    });
  }

  /** A wait is no call: it needs no commit, and it costs nothing. */
  timer(delayMs: number, go: () => void): Entry {
    const caller = this.current;
    if (caller === null) throw new Error('a timer of nobody');
    return this.after(Math.max(0, delayMs), () => this.step(caller, go));
  }

  /** A call of another object's method. */
  call(className: string, name: string, method: string, args: readonly unknown[]): Promise<unknown> {
    const sent = args.map(copied);
    return this.outside((settle: Settle<unknown>) => {
      const lost = () => void this.after(this.#latencyMs(), () => settle.reject(new Error('Network connection lost.')));
      if (this.chance(this.faults.callLost)) return lost();
      const arrive = (told: typeof settle & { lost: () => void }) =>
        this.#receive(this.#homeOf(className, name), method, sent, told);
      if (this.chance(this.faults.callLate)) {
        lost();
        this.after(this.dice() * SLOW_MS, () => arrive(NOBODY));
        return;
      }
      const slowMs = this.chance(this.faults.callSlow) ? this.dice() * SLOW_MS : 0;
      this.after(this.#latencyMs() + slowMs, () => arrive({ ...settle, lost }));
    }, 'calls');
  }

  /** What the object that runs takes for now. */
  clockMs = (): number => this.nowMs + (this.current?.instance.home?.aheadMs ?? 0);

  /** The clock of one object is set. */
  stepClock(className: string, name: string, aheadMs: number): void {
    const home = this.homes.get(`${className} ${name}`);
    if (home === undefined) return;
    this.note('has its clock set', className, name, Math.round(aheadMs));
    home.aheadMs = aheadMs;
    if (home.entry !== undefined) this.#arm(home);
  }

  /** The process dies, and every object with it; it is there again at once. */
  killProcess(): void {
    this.note('the process dies');
    this.deaths += 1;
    for (const home of this.homes.values()) this.#kill(home);
    this.#parts.forget();
  }

  #latencyMs = (): number => 1 + this.dice() * this.dice() * 40;

  #homeOf(className: string, name: string): Home {
    const key = `${className} ${name}`;
    const known = this.homes.get(key);
    if (known !== undefined) return known;
    const database = this.#parts.pool.take(className);
    database.onBreach = (invariant, what) => this.breach(invariant, `${key}: ${what}`);
    const home: Home = {
      className,
      name,
      database,
      calledAtMs: this.nowMs,
      alarmMs: null,
      aheadMs: 0,
      isDelivered: false,
      staged: undefined,
      entry: undefined,
      isLost: false,
      fullInTurn: -1,
      ringing: undefined,
      rangMeanwhile: false,
      instance: undefined,
    };
    this.homes.set(key, home);
    return home;
  }

  #awake(home: Home): Instance {
    const { instance } = home;
    if (instance !== undefined && (instance.invocations.size > 0 || !this.chance(this.faults.evicted))) return instance;
    if (instance !== undefined) instance.isAlive = false;
    const born: Instance = {
      home,
      isAlive: true,
      object: {},
      invocations: new Set(),
      outgoing: [],
      resumes: [],
    };
    home.instance = born;
    const Class = this.#parts.classes[home.className];
    if (Class === undefined) throw new Error(`there is no class ${home.className}`);
    born.object = new Class(this.#contextOf(home, born), this.bindings);
    return born;
  }

  #receive(home: Home, method: string, args: unknown[], settle: Settle<unknown> & { lost: () => void }): void {
    const instance = this.#awake(home);
    const invocation = invocationOf(instance, settle.lost);
    instance.invocations.add(invocation);
    const over = (answer: () => void) => {
      instance.outgoing.push(() => {
        instance.invocations.delete(invocation);
        if (this.chance(this.faults.replyLost)) return settle.lost();
        this.after(this.#latencyMs(), answer);
      });
    };
    this.step(invocation, () => {
      this.note('call', home.className, home.name, method);
      methodOf(instance.object, method)
        .apply(instance.object, args)
        .then(
          (value) => {
            const told = copied(value);
            over(() => settle.resolve(told));
          },
          (thrown: unknown) => {
            this.note('threw', home.className, home.name, method, String(thrown));
            over(() => settle.reject(thrown instanceof Error ? thrown : new Error(String(thrown))));
          },
        );
    });
  }

  /** @returns false when the instance is dead. */
  #endTurn(instance: Instance): boolean {
    const { home, outgoing } = instance;
    instance.outgoing = [];
    if (home === null) {
      for (const leave of outgoing) leave();
      return true;
    }
    if (this.chance(this.faults.crashBeforeCommit)) {
      this.note('dies before its commit', home.className, home.name);
      this.#die(home);
      return false;
    }
    this.#commit(home);
    if (this.chance(this.faults.crashAfterCommit)) {
      this.note('dies behind its commit', home.className, home.name);
      for (const leave of outgoing) if (this.dice() < 0.5) leave();
      this.#die(home);
      return false;
    }
    for (const leave of outgoing) leave();
    return true;
  }

  #commit(home: Home): void {
    const wrote = home.database.hasUncommitted || home.staged !== undefined;
    home.database.commit();
    if (home.staged !== undefined) {
      home.alarmMs = home.staged.atMs;
      home.isDelivered = false;
      home.staged = undefined;
      this.#arm(home);
    }
    this.#parts.observer.turnEnded(home, wrote);
  }

  #die(home: Home): void {
    if (this.dice() < this.faults.wholeProcess) this.killProcess();
    else {
      this.deaths += 1;
      this.#kill(home);
    }
  }

  #kill(home: Home): void {
    const { instance } = home;
    home.database.rollback();
    home.staged = undefined;
    if (instance === undefined) return;
    instance.isAlive = false;
    home.instance = undefined;
    home.ringing = undefined;
    home.rangMeanwhile = false;
    for (const { lost } of instance.invocations) lost();
    instance.invocations.clear();
    if (home.alarmMs !== null) this.#arm(home);
  }

  #arm(home: Home): void {
    if (home.entry !== undefined) home.entry.isCancelled = true;
    home.entry = undefined;
    if (home.alarmMs === null) return;
    home.isLost = MAY_LOSE_ALARMS.has(home.className) && this.chance(this.faults.alarmLost);
    if (home.isLost) {
      home.alarmMs = null;
      this.note('loses its alarm', home.className, home.name);
      this.onAlarmLost(home);
      return;
    }
    const lateMs = this.chance(this.faults.alarmLate) ? this.dice() * 60_000 : this.dice() * 5;
    const dueMs = home.alarmMs - home.aheadMs;
    home.entry = this.after(Math.max(0, dueMs - this.nowMs) + lateMs, () => this.#ring(home));
  }

  /** @param isAgain a second time, though the handler has ended well. */
  #ring(home: Home, isAgain = false): void {
    if (!isAgain) home.entry = undefined;
    if (home.ringing !== undefined) {
      home.rangMeanwhile = true;
      return;
    }
    const instance = this.#awake(home);
    const startedMs = this.nowMs;
    const invocation = invocationOf(instance);
    home.ringing = invocation;
    home.isDelivered = !isAgain;
    instance.invocations.add(invocation);
    const over = (isWell: boolean) => {
      instance.outgoing.push(() => {
        instance.invocations.delete(invocation);
        this.#rang(home, isWell);
      });
      invocation.budget.checkWall(this.nowMs - startedMs);
    };
    this.step(invocation, () => {
      this.note('alarm', home.className, home.name);
      methodOf(instance.object, 'alarm')
        .apply(instance.object)
        .then(
          () => over(true),
          (thrown: unknown) => {
            this.breach('I12', `the alarm of ${home.className} threw: ${String(thrown)}`);
            over(false);
          },
        );
    });
  }

  #rang(home: Home, isWell: boolean): void {
    home.ringing = undefined;
    if (isWell && home.isDelivered) home.alarmMs = null;
    home.isDelivered = false;
    this.#parts.observer.turnEnded(home, true);
    if (home.rangMeanwhile || !isWell) {
      home.rangMeanwhile = false;
      if (isWell) this.#arm(home);
      else this.after(ALARM_RETRY_MS, () => this.#ring(home));
    } else if (this.chance(this.faults.alarmTwice)) this.after(this.dice() * 2_000, () => this.#ring(home, true));
  }

  /** Storage of the platform answers at once, or in a turn of its own: both are tried. */
  #stored<T>(value: T): Promise<T> {
    const invocation = this.current;
    if (invocation === null || this.dice() < 0.7) return Promise.resolve(value);
    return new Promise((resolve) => invocation.instance.resumes.push({ invocation, go: () => resolve(value) }));
  }

  #failStatement(home: Home, text: string): never {
    this.note('a statement fails', home.className, home.name, text.trim().replaceAll(/\s+/g, ' ').slice(0, 60));
    this.#parts.observer.statementFailed(home);
    if (this.dice() < 0.5) home.fullInTurn = this.turns;
    throw new Error('database or disk is full: SQLITE_FULL');
  }

  #contextOf(home: Home, instance: Instance): unknown {
    const { database } = home;
    const sql = {
      exec: (text: string, ...bindings: SQLInputValue[]): Cursor => {
        const isFull = home.fullInTurn === this.turns;
        if (WRITES.test(text) && (isFull || this.chance(this.faults.statementFails))) this.#failStatement(home, text);
        return database.exec(text, bindings);
      },
      get databaseSize(): number {
        return 0;
      },
    };
    const storage = {
      sql,
      kv: valuesIn(database),
      transactionSync: <T>(run: () => T): T => database.transaction(run),
      getAlarm: () => this.#stored(home.staged ? home.staged.atMs : home.isDelivered ? null : home.alarmMs),
      setAlarm: (at: number | Date) => {
        home.staged = { atMs: Number(at) };
        return this.#stored(undefined);
      },
      deleteAlarm: () => {
        home.staged = { atMs: null };
        return this.#stored(undefined);
      },
    };
    const waitUntil = (promise: Promise<unknown>): void => {
      const invocation = invocationOf(instance);
      instance.invocations.add(invocation);
      const over = () => void instance.invocations.delete(invocation);
      promise.then(over, over);
    };
    return {
      id: { name: home.name, toString: () => home.name },
      storage,
      waitUntil,
      blockConcurrencyWhile: <T>(run: () => Promise<T>) => run(),
      abort: () => this.#kill(home),
    };
  }
}

function invocationOf(instance: Instance, lost: () => void = () => undefined): Invocation {
  return { instance, budget: new Budget(), lost };
}

function methodOf(object: object, name: string): Method {
  const method: unknown = Reflect.get(object, name);
  if (typeof method !== 'function') throw new Error(`an object has no method ${name}`);
  return method as Method;
}

/** A binding to a class of objects: any method of any name. */
export const namespaceOf = (world: World, className: string) => ({
  getByName: (name: string) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...args: unknown[]) =>
            world.call(className, name, String(method), args),
      },
    ),
});
