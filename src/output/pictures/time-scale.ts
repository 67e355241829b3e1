import { humanDuration, minute } from '../../kube/time.ts';
import type { PageMoment, PageTimeline } from '../pages/page-data.ts';

/** A place on the line of time: 0 is the beginning, 1 the end. */
export type TimeScale = (time: number) => number;

/**
 * The first minutes have as much room as the last days: what is near matters most.
 * @internal
 */
export function timeScale({ from, until }: PageTimeline): TimeScale {
  const [start, end] = [Date.parse(from), Date.parse(until)];
  const all = Math.log1p(Math.max(1, end - start) / minute);
  return (time) => Math.min(1, Math.log1p(Math.max(0, time - start) / minute) / all);
}

interface Tick {
  readonly at: number;
  readonly words: string;
}

const steps: readonly (readonly [minutes: number, words: string])[] = [
  [1, '1m'],
  [10, '10m'],
  [60, '1h'],
  [6 * 60, '6h'],
  [24 * 60, '1d'],
  [7 * 24 * 60, '7d'],
  [30 * 24 * 60, '30d'],
  [365 * 24 * 60, '1y'],
];

/** `now`, `1m`, `10m`, `1h`, … as far as the line goes. */
export function ticksOf(timeline: PageTimeline): Tick[] {
  const scale = timeScale(timeline);
  const [start, end] = [Date.parse(timeline.from), Date.parse(timeline.until)];
  const within = steps.filter(([minutes]) => start + minutes * minute < end);
  const ticks = within.map(([minutes, words]) => ({ at: scale(start + minutes * minute), words }));
  const last = { at: 1, words: humanDuration((end - start) / 1000) };
  return [{ at: 0, words: 'now' }, ...ticks.filter(({ at }) => at < 0.94), last];
}

/** What happens at about the same time with the same result. */
export interface TimeBin {
  /** 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
  readonly moments: readonly PageMoment[];
}

/** So many places a lane has. */
const places = 60;

/** The items of a lane: those that begin and end at the same place, with the same mark, are one. */
export function binsOf(moments: readonly PageMoment[], timeline: PageTimeline): TimeBin[] {
  const scale = timeScale(timeline);
  const placed = moments.map((moment) => {
    const from = scale(Date.parse(moment.notBefore));
    const isOpen = moment.notAfter === undefined;
    const to = isOpen ? from : scale(Date.parse(moment.notAfter ?? ''));
    return { moment, from, to, isOpen };
  });
  const groups = Map.groupBy(placed, ({ moment, from, to, isOpen }) => {
    return [moment.mark, Math.round(from * places), Math.round(to * places), isOpen].join(' ');
  });
  return [...groups.values()].map((group) => ({
    from: Math.min(...group.map(({ from }) => from)),
    to: Math.max(...group.map(({ to }) => to)),
    isOpen: group.some(({ isOpen }) => isOpen),
    moments: group.map(({ moment }) => moment),
  }));
}
