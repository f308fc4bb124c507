/** Channels and clock of this deployment, parsed once per isolate: plain values, no request state. */
import { type Clock, readTimeScale, systemClock } from '../kernel/clock.ts';
import { type Channel, type ConfigurationProblem, isLoopback, readChannels } from './channels.ts';

export interface UpstreamSettings {
  channels: ReadonlyMap<string, Channel>;
  clock: Clock;
}

/** The variables and secrets read here, from the Worker's environment. */
export interface UpstreamVariables {
  TIME_SCALE?: string;
  CHANNELS: string;
  CHANNEL_SECRETS?: string;
}

/** A wrong configuration, for the operator to fix: nothing runs until it is right. Lists all problems. */
export class ConfigurationError extends Error {
  readonly problems: ConfigurationProblem[];

  constructor(problems: ConfigurationProblem[]) {
    super(`configuration refused: ${problems.map(({ path, message }) => `${path} ${message}`).join('; ')}`);
    this.problems = problems;
  }
}

let parsed: { from: readonly (string | undefined)[]; settings: UpstreamSettings } | undefined;

/** @throws ConfigurationError naming every problem. */
export function upstreamOf(variables: UpstreamVariables): UpstreamSettings {
  const { TIME_SCALE, CHANNELS, CHANNEL_SECRETS: secrets = '{}' } = variables;
  const from = [TIME_SCALE, CHANNELS, secrets];
  if (parsed?.from.every((text, index) => text === from[index])) return parsed.settings;
  const timeScale = readTimeScale(TIME_SCALE);
  const channels = readChannels({ settings: CHANNELS, secrets }, timeScale.ok ? timeScale.value : 1);
  const problems = [...(timeScale.ok ? [] : timeScale.error), ...(channels.ok ? [] : channels.error)];
  if (!timeScale.ok || !channels.ok) throw new ConfigurationError(problems);
  const settings = { channels: channels.value, clock: systemClock(timeScale.value) };
  parsed = { from, settings };
  return settings;
}

/** One machine runs it all: webhooks may lead back to it, and no platform looks after its objects. */
export function isOnLoopback({ channels }: Pick<UpstreamSettings, 'channels'>): boolean {
  const origins = [...channels.values()].map(({ baseUrl }) => new URL(baseUrl));
  return origins.length > 0 && origins.every(isLoopback);
}
