/**
 * Where a load was, as a plain drawing: the way between its positions, with its stops as numbered marks. No tiles, no
 * roads; a table beside it says the same in text.
 */
import type { FC } from 'hono/jsx';

interface MapPoint {
  atMs: number;
  latitude: number;
  longitude: number;
}

/** @property label one or two characters. text: what is there. */
interface MapStop extends MapPoint {
  label: string;
  text: string;
}

/** An event at a stop, whose own place is not known as latitude and longitude. */
export interface StopEvent {
  stop: number;
  atMs: number;
  text: string;
}

/** How far in time the nearest position may be from an event whose place it stands for, in ms: 30 min. Ours. */
export const STOP_APART_MS_MAX = 30 * 60_000;

/**
 * Each stop once, where the vehicle was at its first event: between the two positions around that time. A stop without a
 * position near its time is left out. Pure. @param points by time.
 */
export function stopsAmong(points: readonly MapPoint[], events: readonly StopEvent[]): MapStop[] {
  const found = new Map<number, MapStop>();
  for (const { stop, atMs, text } of [...events].sort((one, other) => one.atMs - other.atMs)) {
    const location = found.has(stop) ? null : locationAt(points, atMs);
    if (location !== null) found.set(stop, { ...location, atMs, label: String(stop), text });
  }
  return [...found.values()];
}

function locationAt(points: readonly MapPoint[], atMs: number): MapPoint | null {
  const after = points.find((point) => point.atMs >= atMs);
  const before = points.findLast((point) => point.atMs <= atMs);
  const near = [before, after].filter(
    (point) => point !== undefined && Math.abs(point.atMs - atMs) <= STOP_APART_MS_MAX,
  );
  const [one, other] = near;
  if (one === undefined) return null;
  if (other === undefined || other.atMs === one.atMs) return one;
  const share = (atMs - one.atMs) / (other.atMs - one.atMs);
  const between = (from: number, to: number): number => from + (to - from) * share;
  return {
    atMs,
    latitude: between(one.latitude, other.latitude),
    longitude: between(one.longitude, other.longitude),
  };
}

/** Evenly spaced, the first and the last among them. Pure. */
export function thinned<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const step = (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => items[Math.round(index * step)]).filter(
    (item) => item !== undefined,
  );
}

const WIDTH = 600;
const HEIGHT = 340;
const MARGIN = 28;
/** Least extent that fills the drawing, in degrees: a truck that stands still is a dot, not a star. */
const SPAN_MIN = 0.02;

interface Drawn {
  x: number;
  y: number;
}

/** @returns where a place is in the drawing; both directions to the same scale. Pure. */
export function projection(points: readonly MapPoint[]): (point: MapPoint) => Drawn {
  const longitudes = points.map(({ longitude }) => longitude);
  const crosses = Math.max(...longitudes) - Math.min(...longitudes) > 180; // the date line lies in between
  const east = (longitude: number): number => (crosses && longitude < 0 ? longitude + 360 : longitude);
  const [west, most] = [Math.min(...longitudes.map(east)), Math.max(...longitudes.map(east))];
  const latitudes = points.map(({ latitude }) => latitude);
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  const narrow = Math.max(0.1, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const across = Math.max((most - west) * narrow, SPAN_MIN);
  const along = Math.max(north - south, SPAN_MIN);
  const scale = Math.min((WIDTH - 2 * MARGIN) / across, (HEIGHT - 2 * MARGIN) / along);
  const [middleX, middleY] = [((west + most) / 2) * narrow, (south + north) / 2];
  return ({ latitude, longitude }) => ({
    x: round(WIDTH / 2 + (east(longitude) * narrow - middleX) * scale),
    y: round(HEIGHT / 2 - (latitude - middleY) * scale),
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** @param points by time, at least one. */
export const RouteMap: FC<{ points: readonly MapPoint[]; stops: readonly MapStop[]; title: string }> = ({
  points,
  stops,
  title,
}) => {
  const drawn = projection([...points, ...stops]);
  const way = points.map(drawn);
  const [first, last] = [way[0], way.at(-1)];
  return (
    <svg class="map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      <title>{title}</title>
      <polyline class="way" points={way.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {way.map(({ x, y }) => (
        <circle class="point" cx={x} cy={y} r={3} />
      ))}
      {first === undefined ? null : <circle class="first" cx={first.x} cy={first.y} r={7} />}
      {last === undefined ? null : <circle class="last" cx={last.x} cy={last.y} r={7} />}
      {stops.map((stop) => {
        const { x, y } = drawn(stop);
        return (
          <g class="stop">
            <title>{`Stop ${stop.label}: ${stop.text}`}</title>
            <circle cx={x} cy={y} r={13} />
            <text x={x} y={y + 5} text-anchor="middle">
              {stop.label}
            </text>
          </g>
        );
      })}
    </svg>
  );
};
