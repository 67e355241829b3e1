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

const margin = 16;
const [smallest, largest] = [0.02, 3];
/** Words of notes are then 10 pixels high. */
const smallestRead = 0.9;

/**
 * Can a tree be read in its window: is it narrow enough, and its first root in the upper half where not all of it is
 * in sight? What has no size yet is as large as needed.
 */
export function fits({ width, height, items: [first] }: Placed, window: Size): boolean {
  if (window.width === 0) return true;
  const room = (window.height - 2 * margin) / smallestRead;
  return width <= roomIn(window) && (height <= room || (first?.y ?? 0) <= room / 2);
}

/** How wide a picture may be to be read without moving it. */
export function roomIn(window: Size): number {
  return (window.width - 2 * margin) / smallestRead;
}

/** All of the picture, never larger than it is; of a large one the beginning, in letters that can be read. */
export function fitting(drawn: Placed, window: Size): Viewport {
  const whole = fitted(drawn, window);
  if (whole.scale >= smallestRead) return whole;
  const wide = Math.min(1, (window.width - 2 * margin) / drawn.width);
  return { ...whole, scale: Math.max(smallestRead, wide) };
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

interface Point {
  readonly x: number;
  readonly y: number;
}

interface PointerActs {
  pan(by: Point): void;
  zoom(by: number, at: Point): void;
}

/** A drag moves the picture; the wheel zooms while Ctrl or Cmd is pressed, as a pinch on a touchpad does, and else moves it. */
export function followPointer(picture: SVGSVGElement, { pan, zoom }: PointerActs): void {
  let last: Point | undefined;
  let hasMoved = false;
  picture.addEventListener('pointerdown', ({ button, clientX, clientY }) => {
    if (button !== 0) return;
    last = { x: clientX, y: clientY };
    hasMoved = false;
  });
  picture.addEventListener('pointermove', ({ clientX, clientY, pointerId }) => {
    if (!last) return;
    const by = { x: clientX - last.x, y: clientY - last.y };
    if (!hasMoved && Math.hypot(by.x, by.y) < 4) return;
    hasMoved = true;
    picture.setPointerCapture(pointerId);
    last = { x: clientX, y: clientY };
    pan(by);
  });
  const end = () => {
    last = undefined;
  };
  picture.addEventListener('pointerup', end);
  picture.addEventListener('pointercancel', end);
  // The click at the end of a drag is none.
  picture.addEventListener(
    'click',
    (event) => {
      if (hasMoved) event.stopImmediatePropagation();
      hasMoved = false;
    },
    { capture: true },
  );
  picture.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const { left, top } = picture.getBoundingClientRect();
      const at = { x: event.clientX - left, y: event.clientY - top };
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 300), at);
      else pan({ x: -event.deltaX, y: -event.deltaY });
    },
    { passive: false },
  );
}
