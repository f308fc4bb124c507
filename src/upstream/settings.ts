/** Channels and clock of this deployment, parsed once per isolate: plain values, no request state. */
import { type Clock, readTimeScale, systemClock } from '../kernel/clock.ts';
import { type Channel, type ConfigurationProblem, readChannels } from './channels.ts';

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

let parsed: { from: string; settings: UpstreamSettings } | undefined;

/** @throws ConfigurationError naming every problem. */
export function upstreamOf(variables: UpstreamVariables): UpstreamSettings {
  const secrets = variables.CHANNEL_SECRETS ?? '{}';
  const from = JSON.stringify([variables.TIME_SCALE, variables.CHANNELS, secrets]);
  if (parsed?.from === from) return parsed.settings;
  const timeScale = readTimeScale(variables.TIME_SCALE);
  const channels = readChannels({ settings: variables.CHANNELS, secrets }, timeScale.ok ? timeScale.value : 1);
  const problems = [...(timeScale.ok ? [] : timeScale.error), ...(channels.ok ? [] : channels.error)];
  if (!timeScale.ok || !channels.ok) throw new ConfigurationError(problems);
  const settings = { channels: channels.value, clock: systemClock(timeScale.value) };
  parsed = { from, settings };
  return settings;
}
