/** Draws what has changed, not too often, and never leaves out the last change. */
export interface Redraw {
  /** Draws now, or as soon as the interval since the last drawing is over. */
  update(): void;
  /** Forgets a drawing that is due; the next update draws at once. */
  cancel(): void;
}

/** `interval` in milliseconds. */
export function redrawing(draw: () => void, interval: number): Redraw {
  let drawn = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const drawNow = () => {
    timer = undefined;
    drawn = performance.now();
    draw();
  };
  return {
    update: () => {
      if (timer) return;
      const wait = drawn + interval - performance.now();
      if (wait <= 0) drawNow();
      else timer = setTimeout(drawNow, wait);
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
      drawn = Number.NEGATIVE_INFINITY;
    },
  };
}
