import type { PageFrame } from '../output/pages/page-data.ts';
import { printable } from '../output/printable.ts';
import { button, html } from './make-element.ts';

/** Milliseconds for each moment. */
const pace = 1600;

/** Plays the moments of a view in order. */
export class Player {
  readonly element = html('div', {
    class: 'player',
    hidden: true,
    role: 'group',
    'aria-label': 'Moments',
  });
  readonly #show: (frame: number) => void;
  readonly #slider = html('input', { type: 'range', min: 0, step: 1, 'aria-label': 'Moment' });
  readonly #play = button('Play', {}, () => (this.#timer ? this.#stop() : this.#start()));
  readonly #title = html('b', { class: 'moment' });
  readonly #text = html('p', { class: 'moment-text', 'aria-live': 'polite' });
  #frames: readonly PageFrame[] = [];
  #timer = 0;

  constructor(show: (frame: number) => void) {
    this.#show = show;
    const step = (by: number) => () => {
      this.#stop();
      this.#go(this.#slider.valueAsNumber + by);
    };
    this.#slider.addEventListener('input', () => {
      this.#stop();
      this.#go(this.#slider.valueAsNumber);
    });
    const back = button('Back', {}, step(-1));
    const next = button('Next', {}, step(1));
    this.element.append(this.#play, back, this.#slider, next, this.#title, this.#text);
  }

  show(frames: readonly PageFrame[], frame: number): void {
    this.#frames = frames;
    this.element.hidden = frames.length < 2;
    this.#slider.max = String(frames.length - 1);
    this.#announce(frame);
  }

  #start(): void {
    if (this.#slider.valueAsNumber >= this.#frames.length - 1) this.#go(0);
    this.#play.textContent = 'Pause';
    this.#timer = window.setInterval(() => {
      this.#go(this.#slider.valueAsNumber + 1);
      if (this.#slider.valueAsNumber >= this.#frames.length - 1) this.#stop();
    }, pace);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#play.textContent = 'Play';
  }

  #go(to: number): void {
    const frame = Math.max(0, Math.min(this.#frames.length - 1, to));
    this.#announce(frame);
    this.#show(frame);
  }

  #announce(frame: number): void {
    const { title = '', text = '' } = this.#frames[frame] ?? {};
    this.#slider.value = String(frame);
    this.#slider.setAttribute('aria-valuetext', printable(title));
    this.#title.textContent = printable(title);
    this.#text.textContent = printable(text);
  }
}
