import type { PageData } from '../output/pages/page-data.ts';
import { App } from './app.ts';

const pageText = document.querySelector('#data')?.textContent ?? '';
const [into, rows] = ['#app', '#rows'].map((id) => document.querySelector<HTMLElement>(id));
if (into && rows) {
  const data = JSON.parse(pageText) as PageData;
  listen(data, new App(data, into, rows));
}

/** A page that is served gets all that it shows again whenever that changed. */
function listen({ live }: PageData, app: App): void {
  if (!live) return;
  const { href, origin } = new URL(live.events, location.href);
  if (origin !== location.origin) return;
  const state = document.querySelector('#live');
  const announce = (words: string, isLive: boolean) => {
    state?.replaceChildren(words);
    state?.classList.toggle('lost', !isLive);
  };
  const source = new EventSource(href);
  source.addEventListener('open', () => announce('Live.', true));
  source.addEventListener('message', ({ data }) => app.replace(JSON.parse(data) as PageData));
  source.addEventListener('error', () => {
    const isOver = source.readyState === EventSource.CLOSED;
    const what = isOver ? 'the server has ended' : 'trying again';
    announce(`Disconnected: ${what}. This is what was sent last.`, false);
  });
}
