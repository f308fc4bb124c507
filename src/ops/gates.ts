/** The gates of an environment's channels, for operators. */
import { messageOf } from '../kernel/log.ts';
import { type Environment, gateName } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { Channel } from '../upstream/channels.ts';
import type { Breaker } from '../upstream/gate/breaker.ts';
import type { ChannelTest } from '../upstream/gate/channel-test.ts';
import type { GateHealth, Release } from '../upstream/gate/store.ts';
import type { UpstreamSettings } from '../upstream/settings.ts';

/** What is needed of one gate. */
interface GateStub {
  health(channel: string): Promise<GateHealth>;
  release(channel: string, release: Release): Promise<Breaker | null>;
  testConnection(channel: string): Promise<ChannelTest>;
}

export type ChannelHealth = { channel: string } & (
  | { reached: true; health: GateHealth }
  | { reached: false; detail: string }
);

/** How a channel is set up. Never its secrets. */
export type ChannelSetup = Omit<Channel, 'apiKey' | 'clientId' | 'clientSecret'>;

export type GateRefusal =
  | { code: 'unknown_channel'; name: string; known: string[] }
  | { code: 'gate_unavailable'; detail: string };

export type Gates = ReturnType<typeof gatesOf>;

export function gatesOf({ channels }: UpstreamSettings, gate: (name: string) => GateStub) {
  const setupOf = (environment: Environment, name: string): ChannelSetup | undefined => {
    const channel = channels.get(name);
    if (channel?.environment !== environment) return undefined;
    const { apiKey: _key, clientId: _id, clientSecret: _secret, ...setup } = channel;
    return setup;
  };
  const namesOf = (environment: Environment): string[] =>
    [...channels.values()].filter((channel) => channel.environment === environment).map(({ name }) => name);
  const healthOf = async (environment: Environment, channel: string): Promise<ChannelHealth> => {
    try {
      return { channel, reached: true, health: await gate(gateName(environment, channel)).health(channel) };
    } catch (thrown) {
      return { channel, reached: false, detail: messageOf(thrown) };
    }
  };
  return {
    /** Every channel of the environment; one that cannot be reached is listed as such and hides no other. */
    health: (environment: Environment): Promise<ChannelHealth[]> =>
      Promise.all(namesOf(environment).map((channel) => healthOf(environment, channel))),
    healthOf,
    setups: (environment: Environment): ChannelSetup[] =>
      namesOf(environment).flatMap((name) => setupOf(environment, name) ?? []),
    setup(environment: Environment, name: string): Result<ChannelSetup, GateRefusal> {
      const setup = setupOf(environment, name);
      return setup === undefined ? err({ code: 'unknown_channel', name, known: namesOf(environment) }) : ok(setup);
    },
    async test(environment: Environment, channel: string): Promise<Result<ChannelTest, GateRefusal>> {
      const known = namesOf(environment);
      if (!known.includes(channel)) return err({ code: 'unknown_channel', name: channel, known });
      try {
        return ok(await gate(gateName(environment, channel)).testConnection(channel));
      } catch (thrown) {
        return err({ code: 'gate_unavailable', detail: messageOf(thrown) });
      }
    },
    /** @returns what was released; null where it was not closed to begin with. */
    async release(
      environment: Environment,
      channel: string,
      release: Release,
    ): Promise<Result<Breaker | null, GateRefusal>> {
      const known = namesOf(environment);
      if (!known.includes(channel)) return err({ code: 'unknown_channel', name: channel, known });
      try {
        return ok(await gate(gateName(environment, channel)).release(channel, release));
      } catch (thrown) {
        return err({ code: 'gate_unavailable', detail: messageOf(thrown) });
      }
    },
  };
}
