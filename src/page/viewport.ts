import { boxHeight, boxWidth, type Placed } from '../output/pictures/place-items.ts';

/** Where the picture stands behind its window. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const margin = 24;
const [smallest, largest] = [0.02, 3];
/** Words of notes are then 10 pixels high. */
const smallestRead = 0.9;

/** Is it narrow enough for its window, in letters that can be read? What has no size yet is as wide as needed. */
export function fits({ width }: Placed, window: Size): boolean {
  return window.width === 0 || width * smallestRead + 2 * margin <= window.width;
}

/** All of the picture, never larger than it is; of a large one what is about its first box, as small as can be read. */
export function fitting(drawn: Placed, window: Size): Viewport {
  const scale = Math.max(smallestRead, fitted(drawn, window).scale);
  const [first = { y: 0 }] = drawn.items;
  const spare = window.height - 2 * margin - drawn.height * scale;
  const middle = window.height / 2 - (first.y + boxHeight / 2) * scale;
  const y = spare > 0 ? margin + spare / 2 : Math.min(margin, Math.max(margin + spare, middle));
  return { x: margin, y, scale };
}

/** All of it, however small. */
export function fitted({ width, height }: Placed, window: Size): Viewport {
  const room = { width: window.width - 2 * margin, height: window.height - 2 * margin };
  const scale = Math.max(smallest, Math.min(1, room.width / width, room.height / height));
  return { x: margin, y: margin, scale };
}

/** What is at this point stays there. */
export function zoomed(
  { x, y, scale }: Viewport,
  by: number,
  at: { x: number; y: number },
): Viewport {
  const next = Math.min(largest, Math.max(smallest, scale * by));
  const factor = next / scale;
  return { x: at.x - (at.x - x) * factor, y: at.y - (at.y - y) * factor, scale: next };
}

export function panned({ x, y, scale }: Viewport, by: { x: number; y: number }): Viewport {
  return { x: x + by.x, y: y + by.y, scale };
}

/** Part of the picture stays in sight. */
export function keptInSight(viewport: Viewport, { width, height }: Placed, window: Size): Viewport {
  const { scale } = viewport;
  const within = (value: number, size: number, room: number) =>
    Math.min(room - margin, Math.max(margin - size * scale, value));
  return {
    x: within(viewport.x, width, window.width),
    y: within(viewport.y, height, window.height),
    scale,
  };
}

/** The nearest place at which this box is in sight, large enough to be read. */
export function showing(
  viewport: Viewport,
  box: { readonly x: number; readonly y: number },
  window: Size,
): Viewport {
  const scale = viewport.scale < 0.5 ? 0.8 : viewport.scale;
  const [x, y] = scale === viewport.scale ? [viewport.x, viewport.y] : [Number.NaN, Number.NaN];
  const inSight = (from: number, size: number, shift: number, room: number) => {
    const at = from * scale + shift;
    return at >= margin && at + size * scale <= room - margin ? shift : undefined;
  };
  return {
    x:
      inSight(box.x, boxWidth, x, window.width) ??
      window.width / 2 - (box.x + boxWidth / 2) * scale,
    y:
      inSight(box.y, boxHeight, y, window.height) ??
      window.height / 2 - (box.y + boxHeight / 2) * scale,
    scale,
  };
}
