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
